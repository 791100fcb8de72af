"""Other notations as Markdown, line by line, so that lines keep their numbers: reStructuredText, Org, AsciiDoc, LaTeX,
what is set apart or unfolds, and properties (`key:: value`).
"""

import csv
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from data.texts.markup import plain_text

_UNFOLDING = 6
"""The level of a heading that a `<summary>` becomes, which people rarely use."""
_RST_LEVELS = "=-~^\"'`*+#_:."
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
_ORG_HEAD = re.compile(r"(\*{1,6})\s+(\S.*)")
_MIN_ORG_LINE = 5
"""Dashes of a line across the page."""
_ORG_RULE = re.compile(r"\|-[-+]{1,500}\|")
"""What is below the header of a table."""
_ORG_SIGN = re.compile(
    r"^(?:#\+\w+:|\*\* \S|[ \t]*:PROPERTIES:|\|-{1,200}\+[-+]{1,500}\|$)", re.MULTILINE | re.IGNORECASE
)
_ORG_LISTED = re.compile(r"([ \t]*)[-+] +(\S.{0,200}?) ::(?: +(.*)|$)")
"""An item of a list of definitions."""
_ORG_STATE = re.compile(r"(?:TODO|DONE|NEXT|WAITING)\s|\[#[A-Z]\]\s")
_ORG_TAGS = re.compile(r"[ \t]:[\w@#%:]{1,200}:$")
_ORG_OTHER = re.compile(r"\s*(?:#\+\w+.*|(?:SCHEDULED|DEADLINE|CLOSED):.*)")
_ORG_SLANTED = re.compile(r"(?<![^\s(-])/(?=\S)([^/\n]{1,100})(?<=\S)/(?![^\s).,:;])")
_BOX = re.compile(
    r"(?P<indent>\s{0,12})(?:\.\. (?P<rst>[a-z][\w-]*)::|(?:!!!|\?\?\?\+?) (?P<mkdocs>[\w-]*)"
    r"|> ?\[!(?P<quote>[\w-]+)\][+-]?"
    r"|(?P<fence>`{3,}|:{3,})\s*\{(?P<myst>\.?[\w-]+)[^{}]*\}|(?P<div>:{3,})(?:\s*(?P<vite>[a-z]+)\b)?)\s*(?P<title>.*)"
)
"""What Sphinx, MkDocs, Obsidian, MyST, Quarto and VitePress set apart: a remark, a picture, code, or an entry."""
_CALLED = re.compile(r"\btitle=\"([^\"\n]{1,200})\"")
_OPTION = re.compile(r"\s*:[a-z-]{1,30}:(?:\s.*)?")
_UNFOLDS = frozenset({"dropdown", "details"})
_OF_TEXTS = _UNFOLDS | {"quote", "cite", "definition", "term", "glossary"}
"""Boxes that hold a part of the text itself."""
_REMARKS = frozenset(
    (
        *("admonition", "attention", "caution", "code", "code-block", "contents", "danger", "error", "figure", "hint"),
        *("highlight", "image", "important", "include", "index", "literalinclude", "meta", "note", "raw", "seealso"),
        *("sourcecode", "tip", "toctree", "todo", "topic", "versionadded", "warning"),
    )
)
"""Sphinx' boxes that hold none; there are others, such as tables."""
_BEGIN_BOXES = frozenset({"..", "!!", "??", "> ", ">[", "``", "::"})
_FEWEST_BOXES = 2
_LABEL = re.compile(r"\.\. _[^\n:]{1,100}:")
"""Where Sphinx' links lead."""
_DEEP = 4
"""Spaces that make a line no list of its own."""
_BULLET = re.compile(r"\s{1,40}[-*+•]\s")
_RST_FIELD = re.compile(r":([A-Z][^:\n]{0,80}|[^:\s]{1,40} [^:\n]{1,80}):[ \t]+(\S.*)")
_FEWEST_FIELDS = 3
_RST_TABLE = re.compile(r"\.\. (list|csv)-table::.*")
_RST_SIMPLE = re.compile(r"={2,}(?: +={2,})+")
_ADOC_SIGN = re.compile(r"^(?:={1,5} \S.*|\[\[[^\[\]]{1,200}\]\].{1,200}::|\|={3,})$", re.MULTILINE)
_ADOC_MARK = re.compile(r"^(?:\+$|(?:\[\[[^\[\]]{1,200}\]\])++)")
_ADOC_TERM = re.compile(r"(?:\[\[[^\[\]]{1,200}\]\])*+(\S.{0,200}?):{2,4}")
_ADOC_TITLE = re.compile(r"^={1,6}(?= \S)")
_ADOC_CELL = re.compile(r"(?:(?:^|(?<=\s))(?:\d{0,3}\.?\d{0,3}[+*])?[<^>.]{0,3}[aehlmdsv]?)?(?<!\\)\|", re.MULTILINE)
"""What is before a cell, with how it is written or set."""
_ADOC_COLUMNS = re.compile(r"\bcols=(?:\"([^\"]{0,200})\"|'([^']{0,200})'|([^,\]]{0,200}))")
_LATEX_SIGN = re.compile(r"^\s{0,20}\\(?:item\b|(?:sub)*section\*?\{|chapter\*?\{|begin\{)", re.MULTILINE)
_LATEX_CELL = re.compile(r"(?<!\\)&")
_LATEX_ITEM = re.compile(r"\s*+\\item\s*+\[((?:[^\[\]{}]|\{[^{}]{0,200}\}){1,200})\]\s*+(.*)")
_LATEX_BULLET = re.compile(r"\s*+\\item\b\s*+(.*)")
_LATEX_TITLE = re.compile(r"\s*+\\(chapter|(?:sub){0,2}section|paragraph)\*?\{([^{}]{1,200})\}\s*+(.*)")
_LATEX_LEVELS = ("chapter", "section", "subsection", "subsubsection")
_LATEX_NAMED = re.compile(r"\s*+\\begin\{(?:definition|defn?|concept|term)\}\s*+\[([^\[\]]{1,200})\].*")
_LATEX_BOLD = re.compile(r"\s*+\\textbf\{([^{}]{1,200})\}(.*)")
_LATEX_COMMAND = re.compile(r"\\(?:emph|text\w{2})\{([^{}]{0,500})\}")
_LATEX_OWN = re.compile(r"\{\\(?!(?:bf|em|it|sc|sf|sl|tt)\b)([A-Za-z]{3,20})\}")
"""A command of the author, alone in braces: the name of what it writes."""
_LATEX_OTHER = re.compile(r"\s*+(?:%.*|\\(?:begin|end|label|document\w+|use\w+|new\w+|set\w+|add\w+)\b.*)")


@dataclass(frozen=True, kw_only=True)
class _Box:
    """A part of a text that is set apart, within which a line is."""

    fence: str
    """What closes it; empty where its lines are indented."""
    margin: int
    is_text: bool
    """Whether it is a part of the text itself."""
    is_open: bool = False
    """Whether its options are over."""


def to_markdown(lines: list[str]) -> list[str]:
    """The lines with Markdown's marks in place of others."""
    for change in (
        _at_margin,
        _without_properties,
        _without_directives,
        _without_boxes,
        _without_folds,
        _with_headings,
    ):
        lines = change(lines)
    return lines


def _at_margin(lines: list[str]) -> list[str]:
    """The lines; at the margin those lists of two levels that are indented right below a line, as if part of it."""
    if not any(line[:1].isspace() for line in lines):
        return lines
    kept: list[str] = []
    shift = 0
    for at, line in enumerate(lines):
        n = len(line.expandtabs(4)) - len(line.lstrip())
        shift = shift if not line or n >= shift else 0
        is_new = not shift and n >= _DEEP and _BULLET.match(line) and bool(kept) and kept[-1][:1].isalnum()
        below = lines[at + 1].expandtabs(4) if is_new and at + 1 < len(lines) else ""
        if is_new and len(below) - len(below.lstrip()) > n and _BULLET.match(below):
            shift = n
        kept.append(line.expandtabs(4)[shift:] if shift and line else line)
    return kept


def _without_properties(lines: list[str]) -> list[str]:
    """The lines without `key:: value`, where a key is known or comes again."""
    keys = [match[1] if (match := _PROPERTY.match(line)) else "" for line in lines]
    counts = Counter(keys)
    are = [bool(key) and (key in _PROPERTIES or key.startswith("card-") or counts[key] > 1) for key in keys]
    return ["" if is_property else line for line, is_property in zip(lines, are, strict=True)]


def _without_directives(lines: list[str]) -> list[str]:
    """The content of Sphinx' `glossary` at the margin, without other directives in it; all of a text whose author
    forgot to indent it.
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
    return lines


def _without_boxes(lines: list[str]) -> list[str]:
    """The lines without remarks and the like, and at their own margin the texts that are set apart, below a heading
    where they have a title. Boxes of any kind are such texts where there are at least as many as headings.
    """
    boxes = [_BOX.fullmatch(line) if line.lstrip()[:2] in _BEGIN_BOXES else None for line in lines]
    titles = [title for box in boxes if box and not box["indent"] and (title := _title_of(box))]
    n_heads = sum(line.startswith("#") or (_is_rule(line) and line[0] not in ":`") for line in lines)
    are_entries = len(titles) == len({*titles}) and len(titles) >= max(_FEWEST_BOXES, n_heads)
    kept: list[str] = []
    inside: list[_Box] = []
    for line, box in zip(lines, boxes, strict=True):
        n = len(line) - len(line.lstrip())
        while inside and not inside[-1].fence and line.strip() and n < inside[-1].margin:
            inside.pop()
        top = inside[-1] if inside else None
        if top and top.fence and line.strip().startswith(top.fence) and not line.strip().strip(":`"):
            inside.pop()
            kept.append("")
        elif box and not (box["rst"] and box["rst"] not in _REMARKS | _OF_TEXTS):
            kind = box["rst"] or box["mkdocs"] or box["myst"] or box["vite"] or box["quote"] or ""
            title = _title_of(box)
            is_head = bool(title) and (kind in _UNFOLDS or (are_entries and not box["indent"]))
            is_text = is_head or kind in _OF_TEXTS or kind.startswith(".") or box["div"] or box["quote"]
            is_seen = all(one.is_text for one in inside)
            if not box["quote"] and (not box["div"] or box["vite"]):
                inside.append(_Box(fence=box["fence"] or box["div"] or "", margin=n + 1, is_text=bool(is_text)))
            kept.append(f"{'#' * _UNFOLDING} {title}" if is_head and is_seen else "")
        elif top and not top.is_open and (not line or _OPTION.fullmatch(line)):
            kept.append("")
        else:
            if top and not top.is_open:
                inside[-1] = top = replace(top, is_open=True, margin=top.margin if top.fence else n)
            margin = max((one.margin for one in inside if not one.fence), default=0)
            kept.append(line[margin:] if all(one.is_text for one in inside) and not _LABEL.fullmatch(line) else "")
    return kept


def _title_of(box: re.Match[str]) -> str:
    called = _CALLED.search(box[0])
    return called[1] if called else box["title"].strip("\"' ")


def _without_folds(lines: list[str]) -> list[str]:
    """The lines with a heading for each `<summary>`."""
    kept = []
    for line in lines:
        summary = _SUMMARY.match(line)
        title = plain_text(summary[1])[0] if summary else ""
        rest = _FOLD.sub("", (summary[2] or "") if summary else line)
        kept.append(f"{'#' * _UNFOLDING} {title}" if title else rest if rest.strip() or not _FOLD.search(line) else "")
    return kept


def _from_rst(lines: list[str]) -> list[str]:
    """The lines with Markdown's tables and items in place of reStructuredText's tables and fields."""
    if not any(line.lstrip()[:1] in (":", ".", "+", "=") for line in lines if line):
        return lines
    fields = list(map(_RST_FIELD.fullmatch, lines))
    if sum(map(bool, fields)) >= _FEWEST_FIELDS:
        lines = [f"- **{one[1]}**: {one[2]}" if one else line for one, line in zip(fields, lines, strict=True)]
    kept: list[str] = []
    while len(kept) < len(lines):
        end, rows = _find_rst_table(lines, len(kept)) or (0, [])
        table = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
        table[1:1] = ["|" + "---|" * len(rows[0])] if rows else []
        kept += [*table, *[""] * (end - len(kept) - len(table))] if rows else [lines[len(kept)]]
    return kept


def _find_rst_table(lines: Sequence[str], start: int) -> tuple[int, list[list[str]]] | None:
    """Where the table that begins here ends, and its rows; None where none begins."""
    first = lines[start].lstrip()
    if kind := _RST_TABLE.fullmatch(first):
        end = next((at for at in range(start + 1, len(lines)) if lines[at] and not lines[at][0].isspace()), len(lines))
        body = [line.strip() for line in lines[start + 1 : end]]
        return end, _listed_rows(body) if kind[1] == "list" else _rows_of_csv(body)
    if first.startswith("+-") and {*first} <= {*"+-"}:
        end = next((at for at in range(start, len(lines)) if not lines[at].lstrip().startswith(("+", "|"))), len(lines))
        return end, _join_rows(_grid_cells(lines[start:end]))
    rules = [at for at in range(start, len(lines)) if _RST_SIMPLE.fullmatch(lines[at])] if first[:1] == "=" else []
    if len(rules) < 2 or rules[0] != start:
        return None
    end = rules[min(2, len(rules) - 1)] + 1
    return end, _join_rows(_simple_cells(lines[start:end]))


def _join_rows(lines: Iterable[tuple[bool, list[str]]]) -> list[list[str]]:
    """The rows of a table, of which each line says whether it begins one, and what it has in each cell."""
    rows: list[list[str]] = []
    for is_new, cells in lines:
        if is_new or not rows or len(cells) != len(rows[-1]):
            rows.append(cells)
        else:
            rows[-1] = [" ".join(filter(None, pair)) for pair in zip(rows[-1], cells, strict=True)]
    return rows


def _grid_cells(lines: Sequence[str]) -> Iterator[tuple[bool, list[str]]]:
    for above, line in itertools.pairwise(lines):
        if not line.lstrip().startswith("+"):
            yield above.lstrip().startswith("+"), [cell.strip() for cell in line.strip().strip("|").split("|")]


def _simple_cells(lines: Sequence[str]) -> Iterator[tuple[bool, list[str]]]:
    starts = [0, *(match.start() for match in re.finditer(r"(?<= )=", lines[0]))]
    for line in lines:
        if line.strip() and not _RST_SIMPLE.fullmatch(line):
            cells = [line[one:two].strip() for one, two in itertools.pairwise([*starts, len(line) + 1])]
            yield bool(cells[0]), cells


def _listed_rows(body: Sequence[str]) -> list[list[str]]:
    rows: list[list[str]] = []
    for line in body:
        if line.startswith("* -"):
            rows.append([line[3:].strip()])
        elif rows and line.startswith("- "):
            rows[-1].append(line[2:].strip())
        elif rows and line:
            rows[-1][-1] = f"{rows[-1][-1]} {line}".strip()
    return rows


def _rows_of_csv(body: Sequence[str]) -> list[list[str]]:
    header = [line.partition(":header:")[2] for line in body if line.startswith(":header:")]
    texts = [*header, *(line for line in body if line and not _OPTION.fullmatch(line))]
    return [[cell.strip() for cell in row] for row in csv.reader(texts, skipinitialspace=True)]


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
    lines = _from_rst(lines)
    kept = list(lines)
    for at, (title, rule) in enumerate(itertools.pairwise(lines)):
        is_below = not at or not lines[at - 1].strip() or _is_rule(lines[at - 1])
        is_title = bool(title.strip()) and not title[0].isspace() and not _is_rule(title) and "|" not in title
        if (
            is_below
            and is_title
            and _is_rule(rule)
            and len(rule) >= _shortest_rule(title, rule)
            and rule[0] not in "=-"
        ):
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
    """A line of LaTeX with Markdown's marks for titles, for terms of a list or in bold, and for rows of two cells."""
    is_row = line.lstrip().startswith("\\textbf") or "\\\\" in line
    bullet = _LATEX_BULLET.fullmatch(line)
    bold = _LATEX_BOLD.fullmatch(bullet[1] if bullet else line)
    line = _LATEX_OWN.sub(r"\1", _LATEX_COMMAND.sub(r"\1", line)).replace("\\textdegree ", "°")
    if item := _LATEX_ITEM.fullmatch(line):
        return f"- **{item[1].strip()}**: {item[2]}"
    cells = _LATEX_CELL.split(line.partition("\\\\")[0]) if is_row else []
    if len(cells) == 2 and all(map(str.strip, cells)):
        return f"- **{cells[0].strip()}**: {cells[1].strip()}"
    if bold or bullet:
        text = _LATEX_COMMAND.sub(r"\1", bold[2] if bold else bullet[1] if bullet else "")
        name = _name_in_bold(bold[1], text) if bold else ""
        return f"{'- ' if bullet else ''}{name}{text}"
    if title := _LATEX_TITLE.fullmatch(line):
        level = _LATEX_LEVELS.index(title[1]) + 1 if title[1] in _LATEX_LEVELS else 0
        return f"{'#' * level} {title[2]}" if level else f"{_name_in_bold(title[2], title[3])} {title[3]}"
    named = _LATEX_NAMED.fullmatch(line)
    return f"###### {named[1]}" if named else "" if _LATEX_OTHER.fullmatch(line) else line.strip()


def _name_in_bold(name: str, text: str) -> str:
    return f"**{name.strip()}**{':' if text.strip()[:1].isalnum() else ''}"


def _shortest_rule(title: str, rule: str) -> int:
    """How long a rule below a title is at least; one of these marks may begin code."""
    return max(len(title), 4) if rule[0] in "`~" else min(len(title), 3)


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
