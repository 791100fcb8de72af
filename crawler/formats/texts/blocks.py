"""A text as blocks, by the syntax tree of its Markdown: headings, paragraphs, items of lists, rows of tables.

Plain text is Markdown too: its paragraphs keep their lines, and these their indentation. What is written around the
content in other notations becomes Markdown first, line by line, so that lines keep their numbers: headings of
reStructuredText and Org, Sphinx' and MyST's `glossary`, what unfolds (`<details>`), properties (`key:: value`, front
matter) and comments.
"""

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from crawler.cards.texts import count_words, split_lines
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
_UNFOLDING = 6
"""The level of a heading that a `<summary>` becomes, which people rarely use."""
_RST_LEVELS = "=-~^\"'`*+#_:."
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_TITLED = re.compile(
    r"glossa[ir]|lexi[ck]on|definition|vocab|terminolog|dictionar|key ?-?(?:terms|concepts)|\bterms\b"
    r"|jargon|begriffe|glosario|lexique|wörter|ordlist|woordenlijst|begrippen|sanasto|słowni|slovní|глоссари|словар"
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
_PROPERTY = re.compile(r"\s*(?:[-*]\s+)?([a-z][\w.-]{0,40})::(?:\s|$)")
_PROPERTIES = frozenset(
    (
        *(
            "alias",
            "aliases",
            "author",
            "collapsed",
            "created",
            "date",
            "exclude-from-graph-view",
            "icon",
            "id",
            "public",
        ),
        *("source", "tags", "template", "title", "type", "updated", "url"),
    )
)
_SUMMARY = re.compile(r"\s*+(?:<details[^>]*+>\s*+)?<summary[^>]*+>(.*?)(?:</summary>\s*+(.*))?$", re.IGNORECASE)
_FOLD = re.compile(r"</?(?:details|summary)[^<>]{0,1000}>", re.IGNORECASE)
_TAGS = re.compile(r"\s*(?:#[^\W\d_][\w/-]*\s*)+|#{1,6}")
"""Tags, or the marks of a heading that has no title."""
_ORG_HEAD = re.compile(r"(\*{1,6})\s+(\S.*)")
_MIN_ORG_LINE = 5
"""Dashes of a line across the page."""
_ORG_RULE = re.compile(r"\|-[-+]{1,500}\|")
"""What is below the header of a table."""
_ORG_SIGN = re.compile(
    r"^(?:#\+\w+:|\*\* \S|[ \t]*:PROPERTIES:|\|-{1,200}\+[-+]{1,500}\|$)", re.MULTILINE | re.IGNORECASE
)
_ORG_TITLE = re.compile(r"^#\+title:.*", re.MULTILINE | re.IGNORECASE)
_ORG_LISTED = re.compile(r"([ \t]*)[-+] +(\S.{0,200}?) ::(?: +(.*)|$)")
"""An item of a list of definitions."""
_ORG_STATE = re.compile(r"(?:TODO|DONE|NEXT|WAITING)\s|\[#[A-Z]\]\s")
_ORG_TAGS = re.compile(r"[ \t]:[\w@#%:]{1,200}:$")
_ORG_OTHER = re.compile(r"\s*(?:#\+\w+.*|(?:SCHEDULED|DEADLINE|CLOSED):.*)")
_ORG_SLANTED = re.compile(r"(?<![^\s(-])/(?=\S)([^/\n]{1,100})(?<=\S)/(?![^\s).,:;])")
_MYST = re.compile(r"\s*(?:`{3,}|:{3,})\s*\{(\w+)\}.*")
_REMARK = re.compile(r"\s{0,12}(?:!!!|\?\?\?\+?) (quote|cite|definition|term)?.*")
"""What MkDocs sets apart, whose text is indented below it: remarks, or with one of these names the text itself."""
_DROPDOWN = re.compile(r"\.\. dropdown:: (\S.*)")
"""What Sphinx unfolds, as a `<summary>` does."""
_ADOC_SIGN = re.compile(r"^(?:={1,5} \S.*|\[\[[^\[\]]{1,200}\]\].{1,200}::|\|={3,})$", re.MULTILINE)
_ADOC_MARK = re.compile(r"^(?:\+$|(?:\[\[[^\[\]]{1,200}\]\])++)")
_ADOC_TERM = re.compile(r"(?:\[\[[^\[\]]{1,200}\]\])*+(\S.{0,200}?):{2,4}")
_ADOC_TITLE = re.compile(r"^={1,6}(?= \S)")
_ADOC_CELL = re.compile(r"(?:(?:^|(?<=\s))(?:\d{0,3}\.?\d{0,3}[+*])?[<^>.]{0,3}[aehlmdsv]?)?(?<!\\)\|", re.MULTILINE)
"""What is before a cell, with how it is written or set."""
_ADOC_COLUMNS = re.compile(r"\bcols=(?:\"([^\"]{0,200})\"|'([^']{0,200})'|([^,\]]{0,200}))")
_LATEX_SIGN = re.compile(r"^\s{0,20}\\(?:item\s{0,9}\[|begin\{\w{0,9}tab\w{0,9}\})", re.MULTILINE)
_LATEX_CELL = re.compile(r"(?<!\\)&")
_LATEX_ITEM = re.compile(r"\s*+\\item\s*+\[((?:[^\[\]{}]|\{[^{}]{0,200}\}){1,200})\]\s*+(.*)")
_LATEX_TITLE = re.compile(r"\s*+\\(?:chapter|(?:sub)*section)\*?\{([^{}]{1,200})\}.*")
_LATEX_COMMAND = re.compile(r"\\(?:emph|text\w{2})\{([^{}]{0,500})\}")
_LATEX_OWN = re.compile(r"\{\\(?!(?:bf|em|it|sc|sf|sl|tt)\b)([A-Za-z]{3,20})\}")
"""A command of the author, alone in braces: the name of what it writes."""
_LATEX_OTHER = re.compile(r"\s*+(?:%.*|\\(?:begin|end|label|document\w+|use\w+|new\w+|set\w+|add\w+)\b.*)")
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
    text = _ROLE.sub(r"- **\1**: \2", text) if ":abbr" in text or ":acronym" in text else text
    text = _FENCE.sub(r"\n\2", text) if " :: " in text else text
    lines = [line for _, line in number_lines(text)]
    end = _front_matter(lines)
    head, lines[: end + 1] = lines[: end + 1], [""] * (end + 1)
    for change in (_without_properties, _without_directives, _without_remarks, _without_folds, _with_headings):
        lines = change(lines)
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


def _without_properties(lines: list[str]) -> list[str]:
    """The lines without `key:: value`, where a key is known or comes again."""
    keys = [match[1] if (match := _PROPERTY.match(line)) else "" for line in lines]
    counts = Counter(keys)
    are = [bool(key) and (key in _PROPERTIES or key.startswith("card-") or counts[key] > 1) for key in keys]
    return ["" if is_property else line for line, is_property in zip(lines, are, strict=True)]


def _without_directives(lines: list[str]) -> list[str]:
    """The content of Sphinx' and MyST's `glossary` at the margin, without other directives in it; all of a text whose
    author forgot to indent it.
    """
    if starts := [at for at, line in enumerate(lines) if line.strip() == ".. glossary::"]:
        if not any(next(filter(None, lines[at + 1 :]), " ")[0].isspace() for at in starts):
            return ["" if at in starts else line for at, line in enumerate(lines)]
        lines = [""] * (starts[0] + 1) + [line.expandtabs() for line in lines[starts[0] + 1 :]]
        indents = [len(line) - len(line.lstrip()) for line in lines]
        margin = min((n for n, line in zip(indents, lines, strict=True) if n and line.strip()), default=0)
        kept, skipped = [""] * (starts[0] + 1), 0
        for line, n in zip(lines[len(kept) :], indents[len(kept) :], strict=True):
            skipped = skipped if skipped and (n > skipped - 1 or not line) else 0
            is_other = line.lstrip().startswith((".. ", ":sorted:"))
            kept.append("" if is_other or skipped or (line and not n) else line[margin:])
            skipped = n + 2 if is_other else skipped
        return kept
    kept, inside = [], [""]
    for line in lines:
        mark = _MYST.fullmatch(line)
        is_end = line.strip()[:3] in ("```", ":::") and not line.strip().strip("`:") and len(inside) > 1
        if mark:
            inside.append(mark[1])
        kept.append("" if mark or is_end or inside[-1] not in ("", "glossary") else line)
        if is_end:
            inside.pop()
    return kept


def _without_remarks(lines: list[str]) -> list[str]:
    """The lines without MkDocs' remarks, and at their own margin the texts that it, or Sphinx, sets apart."""
    kept: list[str] = []
    margin, is_text = 0, False
    for line in lines:
        n = len(line) - len(line.lstrip())
        if fold := _DROPDOWN.fullmatch(line):
            margin, is_text = 3, True
            kept.append(f"{'#' * _UNFOLDING} {fold[1]}")
            continue
        mark = _REMARK.fullmatch(line)
        if mark:
            margin, is_text = n + 4, mark[1] is not None
        elif line and n < margin:
            margin = 0
        kept.append("" if mark or (margin and not is_text) else line[margin:])
    return kept


def _without_folds(lines: list[str]) -> list[str]:
    """The lines with a heading for each `<summary>`."""
    kept = []
    for line in lines:
        summary = _SUMMARY.match(line)
        title = plain_text(summary[1])[0] if summary else ""
        rest = _FOLD.sub("", (summary[2] or "") if summary else line)
        kept.append(f"{'#' * _UNFOLDING} {title}" if title else rest if rest.strip() or not _FOLD.search(line) else "")
    return kept


def _with_headings(lines: list[str]) -> list[str]:
    """The lines with Markdown's headings in place of Org's and of titles underlined as in reStructuredText, and with
    lists in place of LaTeX's `description`.
    """
    if _LATEX_SIGN.search("\n".join(lines)):
        return list(map(_from_latex, lines))
    if _ORG_SIGN.search("\n".join(lines)):
        return list(_from_org(lines))
    if _ADOC_SIGN.search("\n".join(lines)):
        terms = map(_ADOC_TERM.fullmatch, lines)
        heads = (f"{'#' * _UNFOLDING} {term[1]}" if term else "" for term in terms)
        lines = [head or _ADOC_MARK.sub("", line) for head, line in zip(heads, lines, strict=True)]
        lines = [_ADOC_TITLE.sub(lambda title: "#" * len(title[0]), line) for line in lines]
        lines = list(_from_adoc_tables(lines))
    kept = list(lines)
    for at, (title, rule) in enumerate(itertools.pairwise(lines)):
        is_below = not at or not lines[at - 1].strip() or _is_rule(lines[at - 1])
        is_title = bool(title.strip()) and not title[0].isspace() and not _is_rule(title) and "|" not in title
        if is_below and is_title and _is_rule(rule) and len(rule) >= min(len(title), 3) and rule[0] not in "=-":
            kept[at : at + 2] = [f"{'#' * (3 + _RST_LEVELS.index(rule[0]) % 3)} {title}", ""]
            if at and _is_rule(lines[at - 1]):
                kept[at - 1] = ""
    return kept


def _from_adoc_tables(lines: Sequence[str]) -> Iterator[str]:
    """The lines with Markdown's tables in place of AsciiDoc's, whose cells may be on lines of their own."""
    table: list[str] | None = None
    attributes = ""
    for line in lines:
        if line.startswith("|==="):
            rows = _rows_of_adoc(table, attributes) if table else []
            yield from [*rows, *[""] * (len(table) + 2 - len(rows))] if table else ()
            table = [] if table is None else None
        elif table is None:
            attributes = line if line.startswith("[") else ""
            yield line
        else:
            table.append(line)
    yield from table or ()


def _rows_of_adoc(lines: Sequence[str], attributes: str) -> list[str]:
    """The rows of a table, with a rule below the first, as many cells as its attributes say or its first line has."""
    first = next((line for line in lines if line), "")
    stated = _ADOC_COLUMNS.search(attributes)
    columns = (stated[1] or stated[2] or stated[3] or "").split(",") if stated else []
    counts = [re.match(r"\s*(\d{1,2})\*", column) for column in columns]
    width = sum(int(count[1]) if count else 1 for count in counts) or len(_ADOC_CELL.findall(first))
    cells = [" ".join(cell.split()) for cell in _ADOC_CELL.split("\n".join(lines))[1:]]
    rows = [f"| {' | '.join(cells[at : at + width])} |" for at in range(0, len(cells) if width else 0, width)]
    return [*rows[:1], *(["|---" * width + "|"] if rows else []), *rows[1:]]


def _from_latex(line: str) -> str:
    """A line of LaTeX with Markdown's marks for titles, for terms of a list and for rows of two cells."""
    is_row = line.lstrip().startswith("\\textbf") or "\\\\" in line
    line = _LATEX_OWN.sub(r"\1", _LATEX_COMMAND.sub(r"\1", line)).replace("\\textdegree ", "°")
    if item := _LATEX_ITEM.fullmatch(line):
        return f"- **{item[1].strip()}**: {item[2]}"
    cells = _LATEX_CELL.split(line.partition("\\\\")[0]) if is_row else []
    if len(cells) == 2 and all(map(str.strip, cells)):
        return f"- **{cells[0].strip()}**: {cells[1].strip()}"
    title = _LATEX_TITLE.fullmatch(line)
    return f"# {title[1]}" if title else "" if _LATEX_OTHER.fullmatch(line) else line.strip()


def _is_rule(line: str) -> bool:
    return len(line) >= 3 and len(set(line)) == 1 and line[0] in _RST_LEVELS


def _from_org(lines: Sequence[str]) -> Iterator[str]:
    is_drawer = False
    for line in lines:
        text = line.strip()
        if re.fullmatch(r":[A-Z][A-Z_-]{1,40}:", text):
            is_drawer = text != ":END:"
            yield ""
        elif match := _ORG_HEAD.fullmatch(line):
            yield f"{'#' * len(match[1])} {_ORG_TAGS.sub('', _ORG_STATE.sub('', match[2])).strip()}"
        elif item := _ORG_LISTED.fullmatch(line):
            yield f"{item[1]}- **{item[2]}**: {item[3] or ''}"
        elif _ORG_RULE.fullmatch(text):
            yield text.replace("+", "|")
        elif len(text) >= _MIN_ORG_LINE and set(text) == {"-"}:
            yield "***"  # below a paragraph, dashes would make it a heading
        else:
            yield "" if is_drawer or _ORG_OTHER.fullmatch(line) else _ORG_SLANTED.sub(r"*\1*", text)


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
