"""Glossaries of LaTeX (glossaries, glossaries-extra, acronym) and of RDF in Turtle (such as SKOS), as records."""

import re
from collections import defaultdict
from collections.abc import Iterator

from data.files.papers.texts import plain

_PART = r"(?:[^{}\\]|\\.)"
for _ in range(4):
    _PART = rf"(?:[^{{}}\\]++|\\.|\{{{_PART}*+\}})"
_ARGUMENT = rf"\s*+(?:\[[^\[\]]{{0,500}}\]\s*+)?\{{({_PART}{{0,2000}}+)\}}"
_KIND = r"\\(?:(?:long)?(?:new|provide)glossary(entry)|new(?:acronym|abbreviation)|acro)"
_ENTRY = re.compile(rf"^[ \t]*+{_KIND}{_ARGUMENT}{_ARGUMENT}(?:{_ARGUMENT})?", re.MULTILINE | re.DOTALL)
_OPTION = re.compile(rf"(\w{{1,40}})\s*+=\s*+(?:\{{({_PART}*+)\}}|([^,{{}}]*+))", re.DOTALL)
_COMMAND = re.compile(r"(\$[^$]{1,500}\$|\\(?:cite|ref|label)\w*)|\\[A-Za-z]{3,40}\*?(?:\[[^\[\]]{0,200}\])?(?=\{)")
"""A formula or a reference, which stays, or a command before its text."""
_TURTLE = re.compile(r"(?:\s*+#.*\n)*+\s*+@?(?:prefix|base)\s[^<\n]{0,80}<", re.IGNORECASE)
_TOKEN = re.compile(
    r"<[^<>\s]{0,2000}>|#.*|(?P<end>\.(?=\s|$))|(?P<name>(?<![\w-])[\w-]*+:[\w-]+)"
    r'|(?:"""(?P<long>(?:[^"\\]|\\[^\0]|"(?!""))*+)(?:"""|\Z)|"(?P<short>(?:[^"\\\n]|\\.)*+)(?:"|(?=\n)|\Z))'
    r"(?:@(?P<language>[\w-]{1,20}))?"
)
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|(.))", re.DOTALL)


def read_notation(text: str) -> list[dict[str, str]] | None:
    """The records of a text in LaTeX or Turtle, each with two texts or more; None for any other text."""
    return list(_read_turtle(text)) if _TURTLE.match(text) else list(_read_latex(text)) or None


def _read_latex(text: str) -> Iterator[dict[str, str]]:
    for kind, key, first, second in _ENTRY.findall(text):
        options = {name: braced or bare for name, braced, bare in _OPTION.findall(first)} if kind else {}
        term = options.get("name", "") if kind else first if second else key
        sides = {"term": term, "definition": second or options.get("description", "" if kind else first)}
        yield {name: plain(_COMMAND.sub(lambda part: part[1] or "", side)) for name, side in sides.items()}


def _read_turtle(content: str) -> Iterator[dict[str, str]]:
    """A record for each subject and language: its texts under the names of their predicates."""
    said: defaultdict[str, dict[str, str]] = defaultdict(dict)
    predicate = ""
    for token in _TOKEN.finditer(content):
        predicate = token["name"] or predicate
        if value := token["long"] or token["short"]:
            text = _ESCAPE.sub(
                lambda sign: chr(int(sign[1], 16)) if sign[1] else " " if sign[2] in "nrt" else sign[2], value
            )
            said[token["language"] or ""].setdefault(predicate, text)
        if token["end"]:
            yield from (record for record in said.values() if len(record) > 1)
            said.clear()
