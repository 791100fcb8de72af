"""Every parser of the crawler on texts that repeat one token, in every place where a stranger's text can be.

`python -m tests.crawler.tools.repeats LENGTH STEP FIRST [READER ...]` prints a line per case that raises or takes
longer than it may; each reader's cases run in a process of their own, which ends after LIMIT seconds of the processor.
"""

import json
import os
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd

from crawler.cards import acceptance, fronts, texts
from crawler.cards.outcome import Outcome
from crawler.config import DefinitionConfig
from crawler.formats import reading
from crawler.glossaries import reading as glossaries
from crawler.pages import cram, quizlet, quizlet_items, refusals, studystack
from crawler.terms.tokens import tokenise
from data.console.errors import InputError
from data.files.papers.files import Columns
from data.files.papers.reader import distinct, read_papers
from data.texts import markup
from data.texts.languages.en import ENGLISH
from data.texts.reading import fold, read_text, without_markup
from tests.crawler.tools.anki_files import BASIC, package, schema_11, schema_18
from tests.crawler.tools.card_sites import cram_json, cram_page, cram_table, stack_page
from tests.crawler.tools.decks import built, note
from tests.crawler.tools.quizlet_pages import item, next_page

TOKENS = (
    *" 70.,;:-_/\\|=#*?!%$@^~+'\"`“”()[]{}<>&a\n\t\r\x0b\u00a0\u200b\u00e9\u6f22",
    *("ab ", "a,", '","', "{{", "}}", "{{c1::", "&amp;", "&#", "&", "<b>", "<b>a", "</b>", "<!--", "<p", "<a ", "![]("),
    *("**a", "> ", "- ", "\n- ", "\n\n", "\n#", "\n@", "\n@a{", "\\a{", "\\\\", "$a", "{a}", "[a](", "[sound:", "\ra"),
    *("[anki:tts", "(See ", " See ", ". See", "[A, ", "<a>", "(or)", "1. ", "//", "../", "%2f", "\nTY  - ", "\nER  -"),
)
SECONDS = 20.0
"""What a case may take of the processor: two thirds of what the reading of a file or page may."""
LIMIT = 60
"""Seconds after which a case that cannot be stopped ends with its process."""
SET = "500000001"


# -- readers: name -> what reads a text placed in it


def _file(content: str | bytes, name: str = "a.txt") -> Outcome:
    return reading.read(name, content if isinstance(content, bytes) else content.encode())


def _delimited() -> Iterator[Callable[[str], object]]:
    for template in (
        "{}",
        "{}\tb\nc\td\n",
        "a\t{}\nc\td\n",
        "front\tback\t{}\na\tb\t\n",
        'a,"{}"\nc,"d"\n',
        "a;{}\nc;d",
        "#separator:{}\na\tb\n",
        "#columns:{}\na\tb\n",
        "#notetype column:{}\na\tb\n",
        "{}\na|b\nc|d\n",
        "a\n  {}\nb\n  some more words\n",
        "a\n  some more words\n{}\n  some more words\n",
        "Q: {}\nA: b\n" * 2,
        "a\nsome more words\n\nb\nsome more words\n\nc\n{}\n",
        "a - some more words\nb - some more words\n1. {}\n",
    ):
        yield lambda text, template=template: _file(template.replace("{}", text))


def _notes() -> Iterator[Callable[[str], object]]:
    yield lambda text: _file(note(front=text), "a.md")
    yield lambda text: _file(note(back=text), "a.md")
    yield lambda text: _file(note(names=(text, "Back")), "a.md")
    yield lambda text: _file(b"# Note" + text.encode(), "a.md")
    yield lambda text: _file(note().replace(b"g-1", text.encode()), "a.md")


def _records() -> Iterator[Callable[[str], object]]:
    yield lambda text: _file(json.dumps([{"front": text, "back": text, "markdown": True}]))
    yield lambda text: _file(json.dumps({"deck": text, "notes": [{"front": text, "back": "b"}]}))
    yield lambda text: _file(json.dumps({"notes": [{"front": "a", "back": "b", text: text}]}))
    yield lambda text: _file(json.dumps({f"{text[:5]}{n}": n for n in range(len(text) // 10)}))
    for template in (
        "notes:\n- front: {}\n  back: b\n",
        'notes:\n- front: "{}"\n  back: b\n',
        "notes:\n- {}: b\n",
        "notes:\n- front: |\n   {}\n  back: b\n",
        "notes:\n{}",
        "notes: # {}\n- front: a\n  back: b\n",
        '{"notes": {}',
        "[{}",
        "{{}",
        '{"front": {}}',
        "---\n- front: {}\n",
    ):
        yield lambda text, template=template: _file(template.replace("{}", text))


def _crowdanki() -> Iterator[Callable[[str], object]]:
    def deck(text: str, **places: str) -> Outcome:
        at = {"name": "A", "field": "Front", "template": "{{Front}}", "value": "a", "guid": "g"} | places
        model = {
            "crowdanki_uuid": "m",
            "flds": [{"name": at["field"], "ord": 0}, {"name": "Back", "ord": 1}],
            "tmpls": [{"ord": 0, "qfmt": at["template"], "afmt": at["template"]}],
        }
        notes = [{"guid": at["guid"], "note_model_uuid": "m", "fields": [at["value"], "b"]}]
        tree = {"__type__": "Deck", "name": at["name"], "note_models": [model], "notes": notes}
        return _file(json.dumps(tree), "a.json")

    for place in ("name", "field", "template", "value", "guid"):
        yield lambda text, place=place: deck(text, **{place: text})


def _packages() -> Iterator[Callable[[str], object]]:
    yield lambda text: _file(package({"collection.anki2": schema_11([(BASIC, ["", text, "b"])])}), "a.apkg")
    yield lambda text: _file(package({"collection.anki2": schema_11([(BASIC, ["", "a", text])])}), "a.apkg")
    yield lambda text: _file(package({"collection.anki2": schema_11(deck=text)}), "a.apkg")
    yield lambda text: _file(package({"collection.anki21": schema_18([(BASIC, [text, text, text])])}), "a.apkg")
    yield lambda text: _file(package({text[:9999]: b"a\tb\nc\td\n", "b.tsv": text.encode()}), "a.zip")
    rows = "INSERT INTO cards VALUES (1, 0, '{}', 'b', 0)"
    table = "CREATE TABLE cards (id INTEGER PRIMARY KEY, type INTEGER, front TEXT, back TEXT, known BOOLEAN)"
    yield lambda text: _file(built(table, rows.replace("{}", text.replace("'", "''"))), "a.db")


def _pages() -> Iterator[Callable[[str], object]]:
    templates = (
        "{}",
        "<html><head><title>{}</title></head>",
        "<html><h1>{}</h1>",
        "<html><body>{}",
        "<html><a href='{}'>",
        "<html><link rel='canonical' href='{}'>",
        "<html><a href='http://{}/1/'>",
        "<html {}>",
        "<html><p>{} Cards in this Set",
        '<html><script type="application/ld+json">{}</script>',
        '<html><script id="__NEXT_DATA__">{}</script>',
        'window.Quizlet["setPageData"] ={}',
        '<html>window.Quizlet["setPageData"] = {"a": {}',
        "<html><form action='{}'><input type='password'></form>",
        '<html><div class="{}">',
        "<html><table id='theTable'><tr>{}</tr></table>",
        "<html><div class='SetPageTerms-term'>{}</div>",
    )
    readers: tuple[Callable[[bytes], object], ...] = (
        lambda content: _file(content, "a.html"),
        lambda content: cram.read_set(content, "9000001"),
        lambda content: cram.read_search(content, "https://www.cram.com/search"),
        lambda content: quizlet.read_set(content, SET),
        lambda content: quizlet.read_search(content, "https://quizlet.com/search"),
        lambda content: quizlet_items.read_items(content, 200, _walk()),
        lambda content: studystack.read_set(content, "1"),
        lambda content: studystack.read_export(content, "1"),
        studystack.read_listing,
        lambda content: (refusals.is_challenge(content), refusals.robots_refusal(200, content)),
    )
    for read in readers:
        for template in templates if read is not readers[-1] else templates[:2]:
            yield lambda text, template=template, read=read: read(template.replace("{}", text, 1).encode())


def _walk() -> quizlet_items.Walk:
    return quizlet_items.Walk(deck=quizlet.announced(Outcome(), SET))


def _sites() -> Iterator[Callable[[str], object]]:
    """Pages as the sites make them, with the text on a card's side."""
    yield lambda text: cram.read_set(cram_page(cram_table([(text, "b"), ("c", text)]), declared=2), "9000001")
    yield lambda text: cram.read_set(cram_page(cram_json([(text, "b"), ("c", text)]), declared=2), "9000001")
    yield lambda text: studystack.read_set(stack_page([(text, "b"), ("c", text)], title=text), "1")
    yield lambda text: studystack.read_export(f"{text}|b\nc|{text}".encode(), "1")
    yield lambda text: studystack.read_saved_json({"data": [[text, "b"], ["c", text]]})
    yield lambda text: studystack.read_listing(json.dumps([{"id": text}, {"id": "1", "stackName": text}]).encode())
    yield lambda text: quizlet.read_set(next_page({"id": SET, "title": text}, [item(1, text, text)]), SET)
    yield lambda text: quizlet.read_set(next_page({"id": text, "defLang": text}, [item(text, "a", "b")]), SET)
    for place in ("token", "error"):
        responses = [{"models": {"studiableItem": [item(1, "a", "b")]}, "paging": {"total": 1, "page": 1}}]
        yield lambda text, place=place, responses=responses: quizlet_items.read_items(
            json.dumps({"responses": [{**responses[0], "paging": {place: text}}], "error": text}).encode(), 200, _walk()
        )


def _addresses() -> Iterator[Callable[[str], object]]:
    for template in (
        "{}",
        "/{}",
        "https://quizlet.com/{}",
        "/500000001/{}",
        "/flashcards/{}",
        "/flashcards/a-{}",
        "//{}",
        "/servlet/simpledelim?studyStackId={}",
        "https://{}/1/",
        "/webapi/3.4/studiable-item-documents?{}",
    ):
        for module in (cram, quizlet, studystack):
            yield lambda text, template=template, read=module.set_page: _address(read, template.replace("{}", text))
        yield lambda text, template=template: refusals.is_sign_in(template.replace("{}", text))
        yield lambda text, template=template: refusals.refusal(302, b"", template.replace("{}", text))
    yield lambda text: refusals.retry_after(text, datetime.now(UTC))
    yield lambda text: refusals.retry_after(f"Mon, {text} GMT", datetime.now(UTC))


def _address(read: Callable[[str], str | None], text: str) -> None:
    """Half an address is a ValueError, which its callers expect."""
    read(text)


def _cards() -> Iterator[Callable[[str], object]]:
    for read in (
        markup.plain_text,
        markup.looks_like_html,
        read_text,
        fold,
        without_markup,
        texts.read_title,
        texts.typed_media,
    ):
        yield lambda text, read=read: read(text[: texts.MAX_SIDE_CHARS])
    for template in ("{}", "what is {}", "define {} ", "({}) a", "a ({})", "a {}"):
        yield lambda text, template=template: fronts.read(template.replace("{}", text[: texts.MAX_SIDE_CHARS]), ENGLISH)
    terms = pd.DataFrame({"term": ["a tree"], "variants": [["a tree", "trees"]]})
    yield lambda text: fronts.match(pd.Series([text[: texts.MAX_SIDE_CHARS]]), terms, ENGLISH)
    yield _judge


def _judge(text: str) -> object:
    config, text = DefinitionConfig(), text[: texts.MAX_SIDE_CHARS].strip()
    card = pd.DataFrame({"text": [text], "front": ["a"], "media": [None], "definition_id": ["a"]})
    return acceptance.judge_language(card.join(acceptance.judge_form(card, config)), config, ENGLISH)


def _glossaries() -> Iterator[Callable[[str], object]]:
    nist = {"parentTerms": [{"term": "{}", "definitions": [{"text": "{}", "sources": [{"text": "{}"}]}]}]}
    word = {"word": "{}", "lang_code": "en", "senses": [{"glosses": ["{}"], "tags": ["{}"]}]}
    templates: Mapping[glossaries.Kind, tuple[str, ...]] = {
        "nist": ("{}", '{"parentTerms": {}', json.dumps(nist)),
        "rfc4949": (
            "{}",
            "   $ {}\n      (I) a.\n",
            "   $ a\n      (I) {}\n",
            "   $ a\n      1. (I) {}.\n",
            "   $ a\n      (I) /{}/ x\n",
            "   $ a\n      (I) x (See: {})\n",
            "   $ a\n{}\n",
            "   $ a\n      (I) [{}] x\n",
            "RFC 4949  {}",
            '   $ a\n      (I) "{}\n',
        ),
        "jargon": (
            "{}",
            "<a><glossentry><glossterm>{}</glossterm><glossdef><para>{}</para></glossdef></glossentry></a>",
            "<!DOCTYPE a [{}]><a/>",
            "<a {}/>",
        ),
        "foldoc": (
            "{}",
            "{}\n\n     a body\n",
            "a\n\n     {}\n",
            "a\n\n     1. {}\n",
            "a\n\n     <{}> x\n",
            "a\n\n     (or {}) x\n",
            "a\n\n     x {} (2001-01-01)\n",
        ),
        "dictd": (
            "{}",
            "{}\n    a body\n",
            "a\n    {}\n",
            "a\n    n 1: {}\n",
            "a\n    x [syn: {}]\n",
            "a\n /{}/, n.\n\n    a body\n",
        ),
        "wiktionary": ("{}", json.dumps(word)),
    }
    empty = b"    n.\n\n"
    yield lambda text: glossaries.read("dictd", "x", b"a\n" + empty * (len(text) // len(empty)) + text[:9].encode())
    for kind, forms in templates.items():
        for template in forms:
            is_json = '"{}"' in template
            yield lambda text, kind=kind, template=template, is_json=is_json: glossaries.read(
                kind, "x", template.replace("{}", json.dumps(text)[1:-1] if is_json else text).encode()
            )


def _papers() -> Iterator[Callable[[str], object]]:
    article = "<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>1</PMID><Article>"
    article += "<ArticleTitle>{}</ArticleTitle>"
    work = {
        "id": "https://openalex.org/W1",
        "title": "{}",
        "publication_date": "{}",
        "abstract_inverted_index": {"{}": [0]},
    }
    arxiv = {"id": "{}", "title": "{}", "abstract": "{}", "versions": [{"created": "{}"}], "update_date": "{}"}
    for template in (
        "@article{k, title = {{}}, year = 2001}\n",
        '@article{k, title = "{}", year = 2001}\n',
        "@article{k, title = {a}, abstract = {{}}}\n",
        "@article{{}, title = {a}}\n",
        "@{}{k, title = {a}}\n",
        "@string{a = {{}}}\n@article{k, title = a}\n",
        "@article{k, {} = {a}}\n",
        "@article{k, title = {}}\n",
        "@article{k, title = {a}, year = {{}}}\n",
        "% {}\n@article{k, title = {a}}\n",
        "@{}",
        "@article{k, {}",
        "@comment{{}}\n@article{k, title = {a}}",
        "@article{k, title = {a}}\n{}\n@article{l, title = {b}}",
        "TY  - {}\nTI  - a\nER  - \n",
        "TY  - JOUR\nTI  - {}\nER  - \n",
        "TY  - JOUR\n{}\nER  - \n",
        "TY  - JOUR\nPY  - {}\nER  - \n",
        "TY  - {}",
        "TY  - JOUR\nTI  - a\nAB  - {}\nER  -{}\n",
        "TY  - JOUR\nAU  - {}\nSP  - {}\nER  - \n",
        "PMID- {}\nTI  - a\n",
        "PMID- 1\nTI  - {}\n",
        "PMID- 1\n{}\n",
        "PMID- 1\nDP  - {}\nTI  - a\n",
        "PMID- 1\nAU  - {}\nFAU - {}\nTI  - a\n",
        "PMID- 1\nTI  - a\nAB  - {}\n",
        article + "</Article></MedlineCitation></PubmedArticle></PubmedArticleSet>",
        "<PubmedArticleSet>{}",
        "<?xml {}?><PubmedArticleSet>",
        "<!DOCTYPE PubmedArticleSet {}><PubmedArticleSet>",
        article.replace("<PMID>", "<PMID {}>"),
        "{}",
        json.dumps(work) + "\n",
        json.dumps(arxiv) + "\n",
        "[" + json.dumps(work) + "]",
        "[{}",
        '{"results": [{}',
        '{"title": {}',
        "title,abstract\n{},b\n",
        'title,abstract\n"{}",b\n',
        "title,{}\na,b\n",
        "title,abstract\na,b\n{}",
        '"Key","Title","Abstract Note"\n"{}","{}","b"\n',
    ):
        is_json = "{" in template[:2] and '"{}"' in template
        yield lambda text, template=template, is_json=is_json: _read_papers(
            template.replace("{}", json.dumps(text)[1:-1] if is_json else text)
        )
    yield lambda text: _read_papers(json.dumps({"title": text, "abstract": "a"}) + "\n", tokens=True)


def _read_papers(text: str, *, tokens: bool = False) -> None:
    """Read a file of papers, counting words if asked to; papers that cannot be read are an InputError."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "papers"
        path.write_text(text, "utf-8", newline="")
        try:
            kept = [batch.kept for batch in distinct(read_papers([path], Columns.parse([])))]
            if tokens:
                tokenise(kept, Path(folder))
        except InputError as error:
            if "can be read in" in str(error):
                raise


READERS: Mapping[str, Callable[[], Iterator[Callable[[str], object]]]] = {
    "delimited": _delimited,
    "notes": _notes,
    "records": _records,
    "crowdanki": _crowdanki,
    "packages": _packages,
    "pages": _pages,
    "sites": _sites,
    "addresses": _addresses,
    "cards": _cards,
    "glossaries": _glossaries,
    "papers": _papers,
}


# -- running them


def try_case(read: Callable[[str], object], token: str, length: int) -> str:
    """What is wrong with the reading of this many characters of a token; empty where nothing is."""
    text, started = (token * (length // len(token) + 1))[:length], time.process_time()
    try:
        outcome = read(text)
    except Exception:  # noqa: BLE001 - whatever it is, it is the finding
        return traceback.format_exc(limit=-3)
    seconds = time.process_time() - started
    slow = isinstance(outcome, Outcome) and any(finding.kind == "too_slow" for finding in outcome.findings)
    return f"takes {seconds:.1f} s" if slow or seconds > SECONDS else ""


def faults(name: str, length: int, step: int, first: int) -> Iterator[str]:
    """What is wrong with a reader's cases (every `step`-th from the `first`), found in a process of its own."""
    cases = [(at, token) for at, _ in enumerate(READERS[name]()) for token in TOKENS][first::step]
    while cases:
        reading_end, writing_end = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading_end)
            _run(name, cases, length, writing_end)
        os.close(writing_end)
        done = 0
        with os.fdopen(reading_end, encoding="utf-8") as pipe:
            for line in pipe:
                done += 1
                if fault := json.loads(line):
                    yield fault
        os.waitpid(child, 0)
        if done < len(cases):
            at, token = cases[done]
            yield f"{name} {at}, {token!r} x {length:,}: does not end in {LIMIT} s"
        cases = cases[done + 1 :]


def _run(name: str, cases: list[tuple[int, str]], length: int, pipe: int) -> None:
    readers = list(READERS[name]())
    for at, token in cases:
        signal.signal(signal.SIGVTALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT)
        fault = try_case(readers[at], token, length)
        os.write(pipe, (json.dumps(fault and f"{name} {at}, {token!r} x {length:,}: {fault}") + "\n").encode())
    os._exit(0)


def main(length: str, step: str, first: str, *names: str) -> None:
    """Print what is wrong with every `step`-th case of all readers, or of those named."""
    for name in names or READERS:
        for fault in faults(name, int(length), int(step), int(first)):
            print(fault, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
