// Marks tables that are wider than the page. Loads an open page again once the copy of the store is a newer one, and
// keeps place and focus.
const PERIOD = 5000;

function markWide() {
  for (const part of document.querySelectorAll(".scroll")) {
    part.classList.toggle("wide", part.scrollWidth > part.clientWidth);
  }
}

async function refresh() {
  if (document.hidden) return;
  try {
    const { copied } = await (await fetch("/version")).json();
    if (copied === document.body.dataset.copied) return;
    const text = await (await fetch(location.href)).text();
    const page = new DOMParser().parseFromString(text, "text/html");
    const focused = document.activeElement.getAttribute("href");
    for (const part of ["header", "main", "footer"]) {
      document.querySelector(part).replaceChildren(...page.querySelector(part).childNodes);
    }
    document.body.dataset.copied = copied;
    markWide();
    const links = [...document.querySelectorAll("a[href]")];
    if (focused) links.find((link) => link.getAttribute("href") === focused)?.focus({ preventScroll: true });
  } catch {
    // the server has ended or is busy: the page stays as it is
  }
}

markWide();
addEventListener("resize", markWide);
if (document.body.dataset.live) setInterval(refresh, PERIOD);
