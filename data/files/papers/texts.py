"""Titles and abstracts as text, whatever their source: without tags, entities, LaTeX and words that say that there is
none. Formulas of LaTeX stay as they are, between their dollars.
"""

import html
import re
import unicodedata
from collections.abc import Callable
from functools import cache
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from data.files.characters import CONTROLS

_NAMES = (
    "a|abbr|b|big|blockquote|br|center|cite|code|dd|div|dl|dt|em|font|h[1-6]|hr|i|img|ins|kbd|li|mark|nobr|ol|p|pre|q|s|"
    "section|small|span|strike|strong|sub|sup|table|tbody|td|th|thead|tr|tt|u|ul|var|wbr|"  # HTML
    "abstract|alternatives|bold|chem|disp-formula|ext-link|fn|fn-group|graphic|inf|inline-formula|inline-graphic|italic|"
    "label|list|list-item|monospace|named-content|overline|roman|sans-serif|sc|sec|simple-para|styled-content|style|"
    "scp|tex|tex-math|title|underline|uri|xref|abstracttext|articletitle|para|value|"  # JATS, PubMed and others
    "math|apply|ci|cn|maction|matrix|matrixrow|sep|merror|mfenced|mfrac|mi|mmultiscripts|mn|mo|mover|mpadded|mphantom|mprescripts|mroot|mrow|ms|mspace|"
    "msqrt|mstyle|msub|msubsup|msup|mtable|mtd|mtext|mtr|munder|munderover|none|semantics"  # MathML
)
_TAG = re.compile(
    rf"</?(?:[a-z]{{1,9}}:)?({_NAMES})(?:\s+[\w:.-]+\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\"'<>]+))*\s*/?>", re.IGNORECASE
)
"""Tags by name, so that `p<b and c>d` and `List<String>` stay."""
_PARTING = re.compile(
    "abstract|abstracttext|blockquote|br|dd|div|dl|dt|h[1-6]|hr|li|list|list-item|ol|p|para|pre|sec|section|"
    "simple-para|table|td|th|title|tr|ul",
    re.IGNORECASE,
)
"""Tags that part words."""
_TEX = re.compile(
    r"<((?:[a-z]{1,9}:)?(annotation|tex-math))\b[^<>]{0,200}>[^<]{0,5000}</\1>"
    r"(\s{0,9}(?:<(?:[a-z]{1,9}:)?alternatives>\s{0,9})?<(?:[a-z]{1,9}:)?math\b)?",
    re.IGNORECASE,
)
"""A formula in TeX, and the start of one in MathML after it."""
_HEADING = re.compile(r"<((?:jats:)?title)>\s*([^<]{0,100})</\1>", re.IGNORECASE)
_COMMENT = re.compile(r"<!--(?:[^<-]|-(?!->)|<(?!!--)){0,2000}+-->|<!\[CDATA\[|\]\]>")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z]\w{1,30});")
_ENTITY_IN_LATEX = re.compile(r"\\&\\?(?=#?\w{1,31};)")
_ABSTRACT = re.compile(r"\W{0,3}abstract\s{0,3}[:.\u2013\u2014-]\s*", re.IGNORECASE)

_FORMULA = re.compile(r"(\$[^\s$](?:[^$]{0,300}[^\s$])?\$)")
_REFERENCE = re.compile(r"\\(?:[Cc]ite[a-z]*|[a-zA-Z]{0,4}ref|label)\*?(?:\[[^\[\]{}]{0,100}\])?\{[^{}]{0,300}\}")
_ACCENT = re.compile(r"\\(?:([\"'`^~=.])\s?|([uvHcdbkr])(?:\s|(?=\{)))\{?\\?([A-Za-z])(?![a-zA-Z]*\{)\}?")
_ACCENTS = dict(
    zip("\"'`^~=.uvHcdbkr", map(chr, [0x308, 0x301, 0x300, 0x302, 0x303, 0x304, 0x307, 0x306, 0x30C, 0x30B, 0x327,
                                      0x323, 0x331, 0x328, 0x30A]), strict=True)
)  # fmt: skip
_COMMAND = re.compile(r"\\([A-Za-z]+)\*?(?:[ \t]?(?=\{(?!\}))|\{\})?")
_FONTS = re.compile("bf(?:series)?|cal|em|it(?:shape)?|rm|sc(?:riptsize|shape)?|sf|sl|small|tt(?:family)?")
_CHARACTERS = {"textgreater": ">", "textless": "<", "textbar": "|", "textunderscore": "_", "textquotedbl": '"',
               "copyright": "\N{COPYRIGHT SIGN}", "pounds": "\N{POUND SIGN}", "S": "\N{SECTION SIGN}"}  # fmt: skip
"""What pylatexenc does not know."""
_BRACE = re.compile(r"[{}](?<!\\.)")
_ESCAPED = re.compile(r"\\([^A-Za-z])")
_MARKS = {"\\": " ", ",": " ", ";": " ", ":": " ", "!": "", "-": "", "/": "", " ": " ", "\n": " ", "(": "$", ")": "$",
          "[": "$", "]": "$"}  # fmt: skip
_TIE = re.compile(r"(?<=[A-Za-z.])~(?=[\w\\$({])")
_DASH = re.compile(r"(?<=\w)--(?=\w)")

_SPACED = r"[\t\n\v\f\r]|\s\s|^\s|\s$"
"""What a line with one space between words does not hold, in RE2."""
_SUSPECT = r"[<&\\{}~]|``|--|\]\]>|^\W{0,3}(?i:abstract)\b"
"""What a text with anything to free holds beside, in RE2."""
_ANY = f"{CONTROLS}|{_SPACED}|{_SUSPECT}"
_NOTHING = (
    r"(?i)^[\s\[(*]*(?:(?:there is |this (?:article|record|paper) (?:has|contains) )?no (?:english )?"
    r"(?:abstract|title|summary)s?(?:(?: is| was)? (?:available|provided|found|given|listed|included|supplied)"
    r"|for this (?:article|record|paper|item))?"
    r"|(?:an |the )?(?:english )?(?:abstract|title|summary)s?(?: text)?(?: is| was)? "
    r"(?:not|un)[ -]?(?:available|provided|found|given|included)|not (?:available|applicable)|unavailable"
    r"|n\.?/?a\.?|null|none|nan|nil|abstract|untitled|-+|\.+|\?+|)"
    r"(?: (?:for|in|due|from|because|online|at|by|from)\b[^.]{0,80})?[\s\]).*]*$"
)
"""Placeholders, in RE2."""
_YEAR = r"(?:^|\D)(?P<year>(?:1[5-9]|20)\d\d)(?:[01]\d[0-3]\d)?(?:\D|$)"


def free(batch: pa.RecordBatch) -> tuple[pa.RecordBatch, int]:
    """The papers with plain titles, abstracts and venues, each on one line and null where it says nothing, and years of
    four digits; and the number of control characters that they lack.
    """
    columns, n_dropped = {}, 0
    for name in ("id", "title", "abstract", "year", "venue"):
        text = batch[name]
        suspect = pc.fill_null(pc.match_substring_regex(text, _ANY), False)
        if pc.any(suspect).as_py():
            some = text.filter(suspect)
            n_dropped += pc.sum(pc.count_substring_regex(some, CONTROLS)).as_py()
            text = pc.replace_with_mask(text, suspect, _freed(some, "<" if name == "id" else _SUSPECT))
        nothing = pc.match_substring_regex(text, _NOTHING)
        columns[name] = pc.if_else(nothing, None, text) if pc.any(nothing).as_py() else text
    columns["year"] = pc.struct_field(pc.extract_regex(columns["year"], _YEAR), "year")
    others = {name: batch[name] for name in batch.schema.names if name not in columns}
    return pa.RecordBatch.from_pydict({**columns, **others}), n_dropped


def _freed(text: pa.Array, suspect: str) -> pa.Array:
    """The texts without control characters, each on one line, those that match plain."""
    text = _change(text, CONTROLS, lambda some: pc.replace_substring_regex(some, CONTROLS, ""))
    text = pc.replace_substring(text, "\n", " ")
    text = _change(text, _SPACED, lambda some: pc.utf8_trim(pc.replace_substring_regex(some, r"\s+", " "), " "))
    return _change(text, suspect, lambda some: pa.array(map(plain, some.to_pylist()), pa.string()))


def _change(text: pa.Array, pattern: str, change: Callable[[pa.Array], pa.Array]) -> pa.Array:
    """The texts, changed where they match."""
    rows = pc.match_substring_regex(text, pattern)
    return pc.replace_with_mask(text, rows, change(text.filter(rows))) if pc.any(rows).as_py() else text


def plain(text: str) -> str:
    """The text without tags, entities and LaTeX, on one line."""
    if "\\&" in text:
        text = _ENTITY_IN_LATEX.sub("&", text)
    for _ in range(3):  # `&amp;lt;i&amp;gt;` holds an entity that holds a tag
        if "&" not in text:
            break
        text = _ENTITY.sub(_character, text)
    if "<" in text or "]]>" in text:
        text = _HEADING.sub(r" \2: ", _TEX.sub(_once, _COMMENT.sub("", text)))
        text = _TAG.sub(lambda tag: " " if _PARTING.fullmatch(tag[1]) else "", text)
    if "\\" in text or "{" in text or "}" in text:
        parts = _FORMULA.split(text) if "$" in text else [text]
        text = "".join(part if at % 2 else _from_latex(part) for at, part in enumerate(parts))
    if "``" in text:
        text = text.replace("``", '"').replace("''", '"')
    if "~" in text:
        text = _TIE.sub(" ", text)
    if "--" in text:
        text = _DASH.sub("\N{EN DASH}", text)
    text = " ".join(text.split())
    heading = _ABSTRACT.match(text)
    return text[heading.end() :] if heading else text


def _character(found: re.Match[str]) -> str:
    """What an entity means, in any case: ACM writes `&Ldquo;`."""
    meaning = html.unescape(found[0])
    return meaning if meaning != found[0] else html.unescape(found[0].lower())


def _once(found: re.Match[str]) -> str:
    """A formula in TeX, or nothing of it where the same is beside it in MathML."""
    before = found.string[max(0, found.start() - 6) : found.start()].lower()
    is_twin = found[3] or found[2].lower() == "annotation" or before in ("/math>", ":math>")
    return (found[3] or "") if is_twin else found[0]


def _from_latex(text: str) -> str:
    if "\\" not in text:
        return text.replace("{", "").replace("}", "")
    text = _ACCENT.sub(
        lambda found: found[3] + _ACCENTS[found[1] or found[2]], _REFERENCE.sub("", text.replace("~", " "))
    )
    text = _COMMAND.sub(lambda found: _symbol(found[1], found.string.startswith("{", found.end())), text)
    escaped = "\\{" in text or "\\}" in text
    text = _BRACE.sub("", text) if escaped else text.replace("{", "").replace("}", "")
    return unicodedata.normalize("NFC", _ESCAPED.sub(lambda found: _MARKS.get(found[1], found[1]), text))


@cache
def _symbol(command: str, has_argument: bool) -> str:
    """What a command of LaTeX means: a character, nothing for one that changes its argument, else its name."""
    if command in _CHARACTERS:
        return _CHARACTERS[command]
    spec = _commands().get_macro_spec(command) or _commands().get_macro_spec(command.removeprefix("text"))
    meaning = getattr(spec, "simplify_repl", "")
    if isinstance(meaning, str) and meaning and not {"%", "<"} & set(meaning):
        return meaning
    return "" if has_argument or spec is not None or _FONTS.fullmatch(command) else command


@cache
def _commands() -> Any:
    from pylatexenc.latex2text import get_default_latex_context_db

    return get_default_latex_context_db()
