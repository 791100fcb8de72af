"""A text as blocks, by the syntax tree of its Markdown: headings, paragraphs, items of lists, rows of tables.

Plain text is Markdown too: its paragraphs keep their lines, and these their indentation. Front matter and comments are
left out, and other notations become Markdown first.
"""

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from crawler.cards.texts import count_words, split_lines
from crawler.formats.texts.foreign import to_markdown
from data.texts.markup import plain_text

Line = tuple[int, str]
"""The number of a line, from 1, and what is on it."""

HEADING, TEXT, ITEM, INDENTED, HEADER, ROW, CODE, RULE = (
    *("heading", "text", "item", "indented", "header", "row", "code", "rule"),
)

_OTHERS = {"fence": CODE, "code_block": INDENTED, "html_block": TEXT, "hr": RULE}
_PARSER = MarkdownIt("commonmark").enable("table")
_PARSER.core.ruler.disable(["inline"])
_UNDERLINED = re.compile(r"[=-][ \t]*$", re.MULTILINE)
"""How every line ends that makes the text above it a heading; to look for one below each line takes long."""
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_TITLED = re.compile(
    r"glossa[ir]|lexi[ck]on|definition|vocab|terminolog|dictionar|key ?-?(?:terms|concepts)|\bterms\b"
    r"|acronym|abbreviation|jargon|begriffe|glosario|lexique|wörter|ordlist|woordenlijst|begrippen|sanasto|słowni|slovní|глоссари|словар"
    r"|用語|術語|术语|용어",
    re.IGNORECASE,
)
_CARDS = re.compile(r"flash[ _-]?card|quizlet|karteikarten|(?<![a-z])(?:anki|cards|decks?)(?![a-z])", re.IGNORECASE)
"""What the path of a deck says."""
_SPAN = re.compile(r"\[([^\[\]\n]{1,300})\]\{[#.][^{}\n]{1,200}\}")
"""Words with attributes of MyST and Pandoc."""
_SHORTCODE = re.compile(r"\{\{[<%](?=[^{}\n]*\btext=\"([^\"\n]{1,200})\")?[^{}\n]{0,300}[>%]\}\}[ \t]?")
"""What Hugo and Quarto put in by a command, such as an icon; or its text."""
_ABBREVIATION = re.compile(r"^\*\[([^\[\]\n]{1,200})\]:", re.MULTILINE)
"""How PHP Markdown Extra and MkDocs explain one."""
_ROLE = re.compile(r"^:(?:abbr|abbreviation|acronym):`([^`()\n]{1,100}) \(([^`\n]{1,500})\)`$", re.MULTILINE)
"""The same of Sphinx, on a line of its own."""
_FENCE = re.compile(r"^(`{3,}|~{3,})[\w-]{0,20}\n((?:[^\n`~:]{1,80} :: (?!.*->).{8,}\n){2,}+)\1$", re.MULTILINE)
"""A fence around names and texts, as programs for cards have them; a type in code has an arrow."""
_STRONG = re.compile(r"<(b|strong|dfn)\b[^<>\n]{0,200}>[ \t]*([^<>*\n]{1,200}?)[ \t]*</\1>", re.IGNORECASE)
_TAGS = re.compile(r"\s*(?:#[^\W\d_][\w/-]*\s*)+|#{1,6}")
"""Tags, or the marks of a heading that has no title."""
_ORG_TITLE = re.compile(r"^#\+title:.*", re.MULTILINE | re.IGNORECASE)
_PICTURE = re.compile(r"\s*!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])\s*")
_TASK = re.compile(r"\[[ xX]\]\s+")


@dataclass(frozen=True, kw_only=True)
class Block:
    """A part of a text."""

    kind: str
    line: int
    """Where it begins, from 1."""
    last: int
    """Where it ends."""
    text: str = ""
    """Its content without the marks that make it a block; lines keep what they are indented further."""
    level: int = 0
    """Of a heading from 1; of anything else, the number of lists around it."""
    cells: tuple[str, ...] = ()
    """Of a row."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Page:
    """A text as it was parsed, once."""

    lines: tuple[Line, ...]
    """With the numbers, without page breaks before and spaces behind them."""
    blocks: tuple[Block, ...]
    n_words: int
    """Words outside code."""
    is_titled: bool
    """Whether a title says that it explains terms."""
    is_declared: bool
    """Whether a directive says so of all its lines."""
    is_tagged: bool
    """Whether a tag or a schedule says that it holds cards."""

    def children(self, at: int) -> list[Block]:
        """The blocks in lists below the block at this place; for an item, all that is in it."""
        level, is_item = self.blocks[at].level, self.blocks[at].kind == ITEM
        below = []
        for place in range(at + 1, len(self.blocks)):
            block = self.blocks[place]
            is_inside = block.level > level or (is_item and block.level == level and block.kind != ITEM)
            if block.kind in (HEADING, HEADER, ROW, RULE) or not is_inside:
                break
            below.append(block)
        return below


def explains_terms(title: str) -> bool:
    """Whether a title says that a text explains terms."""
    return _TITLED.search(title) is not None


def is_called_deck(path: str) -> bool:
    """Whether the path of a file says that it holds cards."""
    return _CARDS.search(path) is not None


def is_called_glossary(path: str) -> bool:
    """Whether the name of a file says that it explains terms or holds cards, and not that it is about these."""
    name = path.rpartition("/")[2]
    return (explains_terms(name) or is_called_deck(name)) and "readme" not in name.lower()


def number_lines(text: str) -> list[Line]:
    """The lines with their numbers, without page breaks before and spaces behind them."""
    return [(number, line.lstrip("\f").rstrip()) for number, line in enumerate(split_lines(text), 1)]


@lru_cache(maxsize=1)  # reading, refusing and trying ask for the same text
def read_page(text: str) -> Page:
    """The text's lines and blocks."""
    is_tagged = re.search(r"(?<!\S)#(?:flash)?cards?\b|(?<!\S)#anki\b|<!--SR:", text) is not None
    is_declared = ".. glossary::" in text or "{glossary}" in text
    text = _COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), text)
    text = _SHORTCODE.sub(lambda code: f"{code[1]} " if code[1] else "", text) if "{{" in text else text
    text = _ABBREVIATION.sub(r"- **\1**:", _SPAN.sub(r"\1", text))
    text = _STRONG.sub(r"**\2**", text) if "</" in text else text
    text = _ROLE.sub(r"- **\1**: \2", text) if ":abbr" in text or ":acronym" in text else text
    text = _FENCE.sub(r"\n\2", text) if " :: " in text else text
    lines = [line for _, line in number_lines(text)]
    end = _front_matter(lines)
    head, lines[: end + 1] = lines[: end + 1], [""] * (end + 1)
    lines = to_markdown(lines)
    lines = ["" if _PICTURE.fullmatch(line) or _TAGS.fullmatch(line) else line for line in lines]
    whole = "\n".join(lines)
    (_PARSER.enable if _UNDERLINED.search(whole) else _PARSER.disable)("lheading")
    blocks = tuple(_walk(_PARSER.parse(whole)))
    titles = [block.text for block in blocks if block.kind == HEADING][:3]
    return Page(
        lines=tuple(enumerate(lines, 1)),
        blocks=blocks,
        n_words=sum(map(count_words, lines)) - sum(count_words(block.text) for block in blocks if block.kind == CODE),
        is_titled=any(map(explains_terms, (*head, *titles, *_ORG_TITLE.findall(text)[:1]))),
        is_declared=is_declared,
        is_tagged=is_tagged or any("flashcard" in line for line in head),
    )


def _front_matter(lines: Sequence[str]) -> int:
    """The place of the line below front matter between two lines `---`; -1 where there is none."""
    if not lines or lines[0] != "---":
        return -1
    return next((at for at, line in enumerate(lines) if at and line == "---"), -1)


def _walk(tokens: Sequence[Token]) -> Iterator[Block]:
    level, is_first = 0, False
    for at, token in enumerate(tokens):
        line, last = (token.map[0] + 1, token.map[1]) if token.map else (0, 0)
        if token.type in ("list_item_open", "list_item_close"):
            level += token.nesting
            is_first = token.nesting > 0
        elif token.type == "tr_open":
            cells = _cells(tokens[at:])
            is_header = tokens[at - 1].type == "thead_open"
            yield Block(kind=HEADER if is_header else ROW, line=line, last=last, level=level, cells=cells)
        elif token.type == "inline" and tokens[at - 1].type == "heading_open":
            yield Block(kind=HEADING, line=line, last=last, text=token.content, level=int(tokens[at - 1].tag[1:]))
        elif token.type == "inline" and tokens[at - 1].type == "paragraph_open":
            content = _TASK.sub("", token.content, count=1) if is_first else token.content
            yield Block(kind=ITEM if is_first else TEXT, line=line, last=last, text=content, level=level)
            is_first = False
        elif kind := _OTHERS.get(token.type):
            text = plain_text(token.content)[0] if token.type == "html_block" else token.content.rstrip()
            if text or kind == RULE:
                yield Block(kind=kind, line=line, last=last, text=text, level=level)


def _cells(tokens: Sequence[Token]) -> tuple[str, ...]:
    """The cells of a row that begins here."""
    row = itertools.takewhile(lambda token: token.type != "tr_close", tokens)
    return tuple(token.content.strip() for token in row if token.type == "inline")
