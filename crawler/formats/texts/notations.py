"""Glossaries of LaTeX (glossaries, glossaries-extra, acronym), of Turtle (such as SKOS) and in programs, as records."""

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from crawler.formats.sides.headers import find_sides, names_language
from crawler.formats.texts.names import MIN_PAIRS
from data.files.papers.texts import plain

_PART = r"(?:[^{}\\]|\\.)"
for _ in range(4):
    _PART = rf"(?:[^{{}}\\]++|\\.|\{{{_PART}*+\}})"
_ARGUMENT = rf"\s*+(?:\[[^\[\]]{{0,500}}\]\s*+)?\{{({_PART}{{0,2000}}+)\}}"
_KIND = r"\\(?:(?:long)?(?:new|provide)glossary(entry)|new(?:acronym|abbreviation)|acro(?:def)?|glossaryentry)"
_ENTRY = re.compile(rf"^[ \t]*+{_KIND}{_ARGUMENT}{_ARGUMENT}(?:{_ARGUMENT})?", re.MULTILINE | re.DOTALL)
_SYMBOL = re.compile(
    rf"^[ \t]*+\\glsxtrnewsymbol\s*+\[([^\[\]]{{0,2000}}+)\]{_ARGUMENT}{_ARGUMENT}", re.MULTILINE | re.DOTALL
)
"""A symbol, its description among the options."""
_NAMED = r"\\(?:flash)?(?:card|term|entry|question|concept)"
_OWN = re.compile(
    rf"^[ \t]*+{_NAMED}{_ARGUMENT}[ \t]*+(?:{_ARGUMENT}|\n"
    rf"((?:(?![ \t]*+(?:{_NAMED}|\\(?:(?:sub)*section|chapter|part|end))\b)[^\n]*+\n)*+))",
    re.MULTILINE | re.DOTALL,
)
"""A macro of a file's own with the name, and its text as a second argument or in the lines below."""
_OPTION = re.compile(rf"(\w{{1,40}})\s*+=\s*+(?:\{{({_PART}*+)\}}|([^,{{}}]*+))", re.DOTALL)
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
    for kind, key, first, second in _ENTRY.findall(text):
        options = _read_options(first) if kind else {}
        term = options.get("name", "") if kind else first if second else key
        yield _record(term, second or options.get("description", "" if kind else first))
    for stated, _, symbol in _SYMBOL.findall(text):
        yield _record(symbol, _read_options(stated).get("description", ""))
    own = _OWN.findall(f"{text}\n") if "\\" in text else []
    if len(own) >= MIN_PAIRS:
        yield from (_record(term, " ".join((second or below).split())) for term, second, below in own)


def _read_options(text: str) -> dict[str, str]:
    return {name: braced or bare for name, braced, bare in _OPTION.findall(text)}


def _record(term: str, text: str) -> dict[str, str]:
    sides = {"term": term, "definition": text}
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
