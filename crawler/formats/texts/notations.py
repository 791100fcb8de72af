"""Glossaries of LaTeX (glossaries, glossaries-extra, acronym), of Turtle (such as SKOS) and in programs, as records."""

import itertools
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from crawler.formats.sides.headers import find_sides, names_language
from crawler.formats.texts.names import MIN_PAIRS
from data.files.papers.texts import plain

_NAMED = r"(?:flash)?(?:card|term|entry|question|concept)"
_CALL = re.compile(
    r"(?<!\\)%.*|(?P<bib>@(?:entry|abbreviation|acronym|symbol)\b)|\\(?:(?P<entry>(?:long)?(?:new|provide)glossaryentry"
    r"|DeclareAcronym)|(?P<stated>newterm|glsxtrnewsymbol)|(?P<three>new(?:acronym|abbreviation))"
    rf"|(?P<acro>newacro|acro(?:def)?)|(?P<pair>glossaryentry|nomenclature)|(?P<begin>begin\{{)?(?P<own>{_NAMED})\}}?)(?![A-Za-z])\*?"
)
"""A comment, or how an entry begins in glossaries, glossaries-extra, bib2gls, acronym, acro and nomencl, or by a macro
of a file's own with the name, and with its text as a second argument or in the lines below.
"""
_GAP = re.compile(r"(?:\s|%.*)*+")
_SIGN = re.compile(r"\\.|[{}\[\],]", re.DOTALL)
_BELOW = re.compile(
    rf"[ \t]*+\n((?:(?![ \t]*+\\(?:{_NAMED}|begin\{{{_NAMED}|(?:sub)*section|chapter|part|end)\b)[^\n]*+\n)*+)"
)
"""The lines below a name."""
_MAX_ARGUMENT = 20_000
"""Characters in which an argument ends."""
_UNSEEN = re.compile(
    r"\\(?:(?:glsadd|index|label)(?:\[[^\[\]]{0,200}\])?\{[^{}]{0,200}\}"
    r"|(?:linebreak|newline|noindent|par|protect|xspace)(?![A-Za-z]))"
)
"""Commands that show nothing."""
_COMMAND = re.compile(r"(\$[^$]{1,500}\$|\\(?:cite|ref|label)\w*)|\\[A-Za-z]{3,40}\*?(?:\[[^\[\]]{0,200}\])?(?=\{)")
"""A formula or a reference, which stays, or a command before its text."""
_TURTLE = re.compile(r"(?:\s*+#.*\n)*+\s*+@?(?:prefix|base)\s[^<\n]{0,80}<", re.IGNORECASE)
_LABEL, _COMMENT = "rdfs:label", "rdfs:comment"
_TOKEN = re.compile(
    r"<[^<>\s]{0,2000}>|#.*|(?P<end>\.(?=\s|$))|(?P<name>(?<![\w-])[\w-]*+:[\w-]+)"
    r'|(?:"""(?P<long>(?:[^"\\]|\\[^\0]|"(?!""))*+)(?:"""|\Z)|"(?P<short>(?:[^"\\\n]|\\.)*+)(?:"|(?=\n)|\Z))'
    r"(?:@(?P<language>[\w-]{1,20}))?"
)
_PROGRAM = re.compile(
    r'(?:\s++|"""(?:[^"]|"(?!""))*+"""|//.*+|'
    r"/\*(?:[^*]|\*(?!/))*+\*/|#.*+|['\"]use \w{1,20}['\"];?)*+"
    r"(?:(?:export|import|const|let|var|final|interface|type|module\.exports|window\.\w+|<\?php|from)\b"
    r"|\w{1,80}(?: ?: ?[\w\[\], ]{1,80})? = [\[{(])"
)
"""How a file of JavaScript, TypeScript, Python, Dart or PHP with data begins."""
_STRING = (
    r'(?:"(?:[^"\\\n]|\\[^\0])*+(?:"|(?=\n)|\Z)'
    r"|'(?:[^'\\\n]|\\[^\0])*+(?:'|(?=\n)|\Z)|`(?:[^`\\]|\\[^\0])*+(?:`|\Z))"
)
"""A text in quotes, or what is left of one, so that no text is looked at twice."""
_LITERAL = re.compile(
    r"//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)"
    r"|(?:(?<![\w$])['\"]?(?P<key>[\w$]{1,80}+)['\"]?\s{0,9}(?::|=>)\s{0,9})?+(?P<open>[{\[(])|(?P<close>[}\])])"
    r"|(?<![\w$])(?:(?P<name>[\w$]{1,80}+)|(?P<mark>['\"])(?P<quoted>[^'\"\n\\]{1,200}+)(?P=mark))\s*+(?::|=>|=(?!=))\s*+"
    rf"(?P<text>{_STRING}(?:\s*+[+.]?\s*+{_STRING})*+)|{_STRING}"
)
"""A comment, a bracket, a name with its text, or another text."""
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|(.))", re.DOTALL)


def read_notation(text: str) -> list[dict[str, Any]] | dict[str, Any] | None:
    """The records of a text in LaTeX, Turtle or a program, each with two texts or more; None for any other text."""
    if _TURTLE.match(text):
        return list(_read_turtle(text))
    return (read_program(text) if _PROGRAM.match(text) else None) or list(_read_latex(text)) or None


def read_program(text: str) -> list[dict[str, Any]] | dict[str, Any] | None:
    """The objects in the code of a program that have two texts or more, or the only one if it has several; None where
    there are fewer than a glossary has. A text in several languages is a part of the object around it.
    """
    found: list[dict[str, Any]] = []
    around: list[dict[str, Any]] = []
    keys: list[str] = []
    for token in _LITERAL.finditer(text):
        if token["open"]:
            around.append({})
            keys.append(token["key"] or "")
        elif token["close"] and around:
            record, key = around.pop(), keys.pop()
            if key and around and len(record) > 1 and all(map(names_language, record)):
                around[-1][key] = record
            else:
                found.append(record)
        elif token["text"] and around:
            parts = re.findall(_STRING, token["text"])
            around[-1][token["name"] or token["quoted"]] = "".join(_unescape(part[1:-1]) for part in parts)
    records = [record for record in found if len(record) > 1]
    longest = max(records, key=len, default={})
    return records if len(records) >= MIN_PAIRS else longest if len(longest) >= MIN_PAIRS else None


def _unescape(text: str) -> str:
    """What is written with escapes."""
    plain_text = _ESCAPE.sub(
        lambda sign: chr(int(sign[1], 16)) if sign[1] else " " if sign[2] in "nrt" else sign[2], text
    )
    return plain_text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _read_latex(text: str) -> Iterator[dict[str, str]]:
    """The entries of LaTeX; one whose arguments do not end has no text."""
    own: list[dict[str, str]] = []
    at = 0
    while found := _CALL.search(text, at):
        n = 1 if found["stated"] == "newterm" or found["bib"] else 3 if found["three"] or found["entry"] else 2
        before, (first, *more), at = _read_arguments(text, found.end(), n)
        if not first or "#1" in first:  # the definition of a macro
            continue
        if found["own"]:
            below = "" if more else _BELOW.match(f"{text}\n", at)
            own.append(_record(first, more[0] if more else " ".join(below[1].split()) if below else ""))
        elif found["three"]:
            yield _record(*[*more, "", ""][:2])
        elif found["acro"] or found["pair"]:
            yield _record((found["acro"] and before) or first, "".join(more))
        elif found["stated"]:
            yield _record([first, *more][-1], _read_options(before).get("description", ""))
        elif found["entry"] or found["bib"]:
            options = _read_options([first, *more][:2][-1])
            texts = (*more[1:], options.get("description"), options.get("long"), "")
            yield _record(options.get("name") or options.get("short", ""), next(filter(None, texts), ""))
    if len(own) >= MIN_PAIRS:
        yield from own


def _read_arguments(text: str, at: int, most: int) -> tuple[str, list[str], int]:
    """The options before the last argument, the arguments, one at least, and where they end."""
    options = ""
    found: list[str] = []
    while len(found) < most:
        gap = _GAP.match(text, at)
        start = gap.end() if gap else at
        end = _find_end(text, start) if text[start : start + 1] in ("{", "[") else None
        if end is None:
            break
        if text[start] == "{":
            found.append(text[start + 1 : end])
        else:
            options = text[start + 1 : end]
        at = end + 1
    return options, found or [""], at


def _find_end(text: str, start: int) -> int | None:
    """Where the brace or bracket at `start` is closed."""
    around: list[str] = []
    for sign in _SIGN.finditer(text, start, start + _MAX_ARGUMENT):
        if sign[0] == "{" or (sign[0] == "[" and "{" not in around[text[start] == "[" :]):
            around.append(sign[0])
        elif sign[0] in ("}", "]") and around and around[-1] == ("{" if sign[0] == "}" else "["):
            around.pop()
        if not around:
            return sign.start()
    return None


def _read_options(text: str) -> dict[str, str]:
    """The values of `name = value, …`, without the braces around them."""
    depth, starts = 0, [0]
    for sign in _SIGN.finditer(text):
        depth += (sign[0] == "{") - (sign[0] == "}")
        starts += [sign.end()] if sign[0] == "," and depth == 0 else []
    parts = (text[start:end].partition("=") for start, end in itertools.pairwise([*starts, len(text) + 1]))
    values = {name.strip(): value.strip().rstrip(",").strip() for name, _, value in parts}
    return {name: value[1:-1] if _find_end(value, 0) == len(value) - 1 else value for name, value in values.items()}


def _record(term: str, text: str) -> dict[str, str]:
    sides = {"term": term, "definition": _UNSEEN.sub(" ", text)}
    return {name: plain(_COMMAND.sub(lambda part: part[1] or "", side)) for name, side in sides.items()}


def _read_turtle(content: str) -> Iterator[dict[str, str]]:
    """A record for each subject and language: its texts under the names of their predicates."""
    said: defaultdict[str, dict[str, str]] = defaultdict(dict)
    predicate = ""
    for token in _TOKEN.finditer(content):
        predicate = token["name"] or predicate
        if value := token["long"] or token["short"]:
            said[token["language"] or ""].setdefault(predicate, _unescape(value))
        if token["end"]:
            yield from (_with_description(record) for record in said.values() if len(record) > 1)
            said.clear()


def _with_description(record: dict[str, str]) -> dict[str, str]:
    """The record; its comment is its description where it has a label and nothing else is."""
    rest = {name: text for name, text in record.items() if name != _COMMENT}
    is_whole = _COMMENT not in record or _LABEL not in rest or find_sides([*rest]) is not None
    return record if is_whole else {**rest, "description": record[_COMMENT]}
