"""Marks that people type into texts: emphasis, links, code and escapes of Markdown, roles of Sphinx and MyST, links and
references of wikis, fonts of LaTeX and Typst. What a person reads is what they enclose; formulas stay as they are.
"""

import re
from collections.abc import Callable

_INLINE = re.compile(
    r"""
    (?P<math>\$\$.+?\$\$ | (?<![\\\w$])\$(?=\S)[^$\n]{1,500}?(?<=\S)\$(?!\w) | \\\(.+?\\\) | \\\[.+?\\\])
  | (?P<quoted>``[^`\n]{1,1000}?'')
  | (?P<font>\\(?:emph|underline|text(?:bf|it|md|normal|rm|sc|sf|sl|tt|up))\{
        (?P<of_font>[^{}\n]{1,1000}(?:\{[^{}\n]{0,300}\}[^{}\n]{0,500})?)\})
  | (?P<typst>\#(?:emph|strong|smallcaps|underline)\[(?P<of_typst>[^\[\]\n]{1,1000})\])
  | (?P<role>(?<!\w)(?: :[a-z][\w:.+-]{0,40}: | \{[a-z][\w:.+-]{0,40}\} )`(?P<of_role>[^`\n]{1,300})`)
  | (?P<outside>(?<!`)`(?P<of_outside>[^`<>\n]{1,300}?)\s*<[^<>`\n]{1,2000}>`_{1,2})
  | (?P<code>(?P<tick>`{1,3})(?!`)(?P<of_code>[^\n]{1,1000}?)(?<!`)(?P=tick)(?!`)_{0,2})
  | (?P<picture>!\[[^\[\]\n]{0,500}\](?:\([^()\n]{0,2000}(?:\([^()\n]{0,200}\)[^()\n]{0,2000})?\)|\[[^\[\]\n]{0,200}\])
        | !\[\[[^\[\]\n]{1,500}\]\])
  | (?P<wiki>\[\[(?:[^\[\]|\n]{1,500}\|)?(?P<of_wiki>[^\[\]|\n]{1,500})\]\])
  | (?P<comment><!--[^<>]{0,2000}-->)
  | (?P<anchor>anchor:[\w:.-]{1,200}\[[^\[\]\n]{0,200}\])
  | (?P<note>\[\^[^\[\]\s]{1,80}\])
  | (?P<link>\[(?P<of_link>[^\[\]\n]{1,1000}(?:\[[^\[\]\n]{0,200}\][^\[\]\n]{0,500})?)\]
        (?:\((?:[^()\n]{0,2000}|[^()\n]{0,1000}\([^()\n]{0,500}\)[^()\n]{0,1000})\)|\[[^\[\]\n]{1,200}\]))
  | (?P<macro>(?<!\w)(?:https?://|link:|xref:|mailto:)[^\s\[\]<>]{1,300}\[(?!\d{1,3}\])(?P<of_macro>[^\[\]\n]{1,300})\])
  | (?P<cross><<(?=[\w#])(?:[^<>,\n]{1,200},\s{0,9})?(?P<of_cross>[^<>,\n]{1,200})(?<=\S)>>)
  | (?P<span>\[(?P<of_span>[^\[\]\n]{1,1000})\]\{[#.][^{}\n]{1,200}\})
  | (?P<address><(?P<of_address>(?:https?://|mailto:)[^<>\s]{1,2000})>)
  | (?P<triple>\*\*\*(?=[^\s*])(?P<of_triple>[^\n]{1,1000}?)(?<=[^\s*])\*\*\*)
  | (?P<bold>(?<![\w*])\*\*(?=[^\s*])(?P<of_bold>[^\n]{1,2000}?)(?<=\S)\*\*(?!\*))
  | (?P<inner>(?<=\w)\*\*(?=\w)(?P<of_inner>\w{1,80})\*\*(?![\w*]))
  | (?P<dunder>(?<!\w)__[a-z]\w*__(?!\w))
  | (?P<under>(?<!\w)__(?=[^\s_])(?P<of_under>[^\n]{1,1000}?)(?<=[^\s_])__(?!\w))
  | (?P<slant>(?<![\w*])\*(?=[^\s*])(?P<of_slant>[^*\n]{1,1000}?)(?<=[^\s*])\*(?![\w*]))
  | (?P<low>(?<![\w_])_(?=[^\s_])(?P<of_low>[^_\n]{1,1000}?)(?<=[^\s_])_(?![\w_]))
  | (?P<marked>==(?=[^\s=])(?P<of_marked>[^=\n]{1,1000}?)(?<=[^\s=])==)
  | (?P<struck>~~(?=[^\s~])(?P<of_struck>[^~\n]{1,1000}?)(?<=[^\s~])~~)
  | (?P<escape>\\(?P<of_escape>[!#&*+\-.<>_|~@%`"']))
    """,
    re.VERBOSE,
)
_ANY = re.compile(r"[*`\\_\[=~^{<]")
"""What any mark has; the search for one character is fast."""
_ID = re.compile(
    r"(?<![ \t])(?:[ \t]++(?:\^[\w-]{4,40}|\{[:.][^{}\n]{1,100}\})|[ \t]*+\{#[^{}\n]{1,100}\})[ \t]*+$", re.MULTILINE
)


def has_marks(text: str) -> bool:
    """Whether a text may have marks."""
    return _ANY.search(text) is not None


def without_marks(text: str, depth: int = 4) -> tuple[str, bool]:
    """The text that a person would read, and whether a picture was in it."""
    if not has_marks(text):
        return text, False
    has_picture = False

    def read(match: re.Match[str]) -> str:
        nonlocal has_picture
        kind = next(kind for kind in _KINDS if match[kind] is not None)
        has_picture |= kind == "picture"
        if kind in _VERBATIM:
            return _VERBATIM[kind](match)
        shown, some = without_marks(match[f"of_{kind}"], depth - 1) if depth else (match[f"of_{kind}"], False)
        has_picture |= some
        return shown

    return _ID.sub("", _INLINE.sub(read, text)), has_picture


def _of_role(match: re.Match[str]) -> str:
    inner = match["of_role"]
    if inner.endswith(("-label", "_label")) and ":ref:" in match["role"]:
        return re.sub("[-_]", " ", inner[: -len("-label")])
    return re.sub(r"(?<!\s)\s*+<[^<>]*+>$", "", inner).lstrip("~!") or inner


def _of_escape(match: re.Match[str]) -> str:
    """What is escaped; the whole where it may be an accent of LaTeX, as in `caf\\'e`."""
    mark, after = match["of_escape"], match.string[match.end() : match.end() + 1]
    return match[0] if mark in "\"'`~" and after.lower() in tuple("aeiouyn{") else mark


_VERBATIM: dict[str, Callable[[re.Match[str]], str]] = {
    "math": lambda match: match[0],
    "quoted": lambda match: match[0],
    "picture": lambda _: "",
    "note": lambda _: "",
    "comment": lambda _: "",
    "anchor": lambda _: "",
    "code": lambda match: match["of_code"].strip() or match[0],
    "role": _of_role,
    "escape": _of_escape,
    "outside": lambda match: match["of_outside"],
    "address": lambda match: match["of_address"],
    "dunder": lambda match: match[0],
}
"""What marks say whose content has none."""
_KINDS = tuple(name for name in _INLINE.groupindex if not name.startswith("of_") and name != "tick")
