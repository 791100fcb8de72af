"use strict";
(() => {
  const data = JSON.parse(document.getElementById("all-pairs").textContent);
  const form = document.getElementById("search");
  const list = document.getElementById("found");
  const status = document.getElementById("found-status");
  const more = document.getElementById("found-more");
  const PAGE = 25;
  const fold = text => text.normalize("NFKC").toLowerCase();
  const texts = data.texts.map(fold);
  const entities = data.entities.map(fold);
  let hits = [], shown = 0;

  const make = (tag, options = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(options)) {
      if (name in element) element[name] = value; else element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
  };

  const names = make("datalist", { id: "entity-names" });
  names.append(...[...data.entities].sort().map(value => make("option", { value })));
  form.append(names);

  const number = (value, otherwise) => value === "" ? otherwise : Number(value);

  const wanted = () => {
    const fields = new FormData(form);
    const words = fold(fields.get("text")).split(/\s+/).filter(Boolean);
    const entity = fold(fields.get("entity")).trim();
    const label = fields.get("label"), votes = fields.get("votes"), split = fields.get("split");
    const least = number(fields.get("least"), -1), most = number(fields.get("most"), 1);
    return ([id, e, a, b, s, yes, all, binary, overlap]) =>
      (!label || binary === Number(label)) &&
      (!votes || yes + "/" + all === votes) &&
      (!split || data.splits[s] === split) &&
      overlap >= least && overlap <= most &&
      (!entity || entities[e].includes(entity)) &&
      words.every(word => texts[a].includes(word) || texts[b].includes(word) || entities[e].includes(word) || id.startsWith(word));
  };

  const cards = place => {
    if (place < 0) return [make("p", { className: "about" }, data.lineage || "No card of this text is known.")];
    return [make("ul", {}, ...data.cards[place].map(([source, url, set, minute, licence]) => make("li", {},
      make("b", {}, source), ` · “${set}” · fetched ${minute} UTC · `,
      /^https?:/.test(url) ? make("a", { href: url, rel: "noopener noreferrer", textContent: url }) : make("code", { textContent: url }),
      make("br"), make("small", {}, licence || "no licence stated"))))];
  };

  const draw = pair => {
    const [id, e, a, b, s, yes, all, binary, overlap, one, other, said] = pair;
    const side = form.elements.label.querySelector(`option[value="${binary}"]`).text;
    const tag = binary < 0 ? ["open", "no label"] : [binary ? "yes" : "no", side];
    const back = make("details", {}, make("summary", {}, said ? "Answers, cards and licences" : "Cards and licences"));
    back.addEventListener("toggle", () => {
      if (back.open && back.childElementCount === 1) {
        if (said) {
          back.append(make("h4", {}, "Answers"), make("ul", {}, ...said.map(([who, answer, comment, gone]) => make("li", {},
            `${who}: ${answer}`, ...(comment ? [` “${comment}”`] : []), ...(gone ? [make("small", {}, " replaced")] : [])))));
        }
        back.append(make("h4", {}, "First text"), ...cards(one), make("h4", {}, "Second text"), ...cards(other));
      }
    });
    return make("li", { className: "pair" },
      make("header", {},
        make("b", { lang: "en" }, data.entities[e] || "–"), make("span", { className: "tag " + tag[0] }, tag[1]),
        make("span", {}, `${yes} of ${all} votes`), make("span", {}, overlap < 0 ? "overlap –" : `overlap ${overlap.toFixed(2)}`),
        ...(s < 0 ? [] : [make("span", {}, data.splits[s])]), make("code", { title: id }, id.slice(0, 12))),
      make("div", { className: "texts", lang: "en" }, make("p", {}, data.texts[a]), make("p", {}, data.texts[b])),
      back);
  };

  const extend = () => {
    list.append(...hits.slice(shown, shown + PAGE).map(draw));
    shown = Math.min(shown + PAGE, hits.length);
    more.hidden = shown >= hits.length;
    status.textContent = `${hits.length.toLocaleString("en")} of ${data.pairs.length.toLocaleString("en")} pairs` +
      (hits.length ? `, ${shown.toLocaleString("en")} shown` : "");
  };

  const MARK = "#explorer?";
  const recall = () => {
    if (!location.hash.startsWith(MARK)) return false;
    form.reset();
    for (const [name, value] of new URLSearchParams(location.hash.slice(MARK.length))) {
      if (form.elements[name]) form.elements[name].value = value;
    }
    return true;
  };
  const remember = () => {
    const filled = [...new FormData(form)].filter(([, value]) => value);
    const address = filled.length ? MARK + new URLSearchParams(filled) : "#explorer";
    history.replaceState(null, "", address);
  };

  const search = () => {
    hits = data.pairs.filter(wanted());
    shown = 0;
    list.replaceChildren();
    extend();
  };

  const choices = (name, values) => form.elements[name].append(...values.map(([value, text]) => make("option", { value }, text)));
  const votes = [...new Set(data.pairs.map(pair => pair[5] + "/" + pair[6]))].sort();
  choices("votes", votes.map(value => [value, value.replace("/", " of ")]));
  choices("split", data.splits.map(value => [value, value]));
  form.addEventListener("input", () => { search(); remember(); });
  form.querySelector("[type=reset]").addEventListener("click", () => setTimeout(() => { search(); remember(); }));
  addEventListener("hashchange", () => { if (recall()) search(); });
  form.addEventListener("submit", event => event.preventDefault());
  more.addEventListener("click", extend);
  const section = document.getElementById("explorer");
  section.hidden = false;
  if (recall()) section.scrollIntoView();
  search();
})();
