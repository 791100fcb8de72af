"""Archives of decks (tar, zip) and workbooks, whose members are sheets: read in memory, never written to disk."""

import io
import tarfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import PurePosixPath

from crawler.cards.outcome import Card, Deck, Finding, Outcome
from crawler.formats.packed import UNREADABLE
from crawler.formats.statements import is_licence_file, read_licence_file
from data.files.workbooks import WorkbookError, is_workbook, read_sheets

MAX_MEMBERS = 20_000
MAX_UNPACKED_BYTES = 64 * 2**20
"""Of all members together."""

NO_DECK = frozenset({"unknown_format", "empty_file"})
"""Kinds of findings that are none in an archive: archives hold readmes and pictures too."""


Reader = Callable[[str, bytes], Outcome]
Member = tuple[str, Callable[[int], bytes]]
"""Its name, and a function that reads at most this many bytes of it."""


class ArchiveError(Exception):
    """The archive is larger than any deck."""


def is_tar(content: bytes) -> bool:
    """True where the bytes have the signature of a tar archive."""
    return content[257:262] == b"ustar"


def read_archive(name: str, content: bytes, read: Reader) -> Outcome:
    """What `read` returns for each member, under the name `ARCHIVE!MEMBER`; decks of the same set are merged.

    The sheets of a workbook are its members. Members whose name leads out of the archive are skipped (`unsafe_name`),
    as are those that are not decks. A deck is taken to be under the licence whose text lies in its folder or above it.
    Findings: `corrupt_archive`, `too_large`, `unknown_format` (no deck in it), and the members' findings.
    """
    outcomes: list[Outcome] = []
    notes: dict[str, str] = {}
    is_office = False
    try:
        for path, part in _members(content):
            is_office |= path.name == "[Content_Types].xml" or part.startswith(b"application/vnd.oasis")
            if is_licence_file(path.name):
                notes[f"{name}!{path.parent}/".replace("!./", "!")] = read_licence_file(part) or ""
            else:
                outcomes.append(_read_member(name, path, part, read))
    except ArchiveError as error:
        outcomes.append(_refuse("too_large", f"{name}: {error}"))
    except (*UNREADABLE, WorkbookError) as error:
        outcomes.append(_refuse("corrupt_archive", f"{name}: {error}"))
    merged = _merge(outcomes)
    merged = replace(merged, decks=tuple(_with_note(deck, notes) for deck in merged.decks))
    if merged.decks or merged.findings:
        return merged
    office = "an Office document; save its table as CSV, or its text as plain text"
    empty = _refuse("unknown_format", f"{name}: {office if is_office else 'an archive without a deck'}")
    return replace(empty, skipped=merged.skipped)


def _with_note(deck: Deck, notes: Mapping[str, str]) -> Deck:
    """The deck with the title of the licence in its folder, or in the nearest one above, if it states none itself."""
    folders = [folder for folder in notes if f"{deck.set_id}/".startswith(folder)]
    return replace(deck, licence_note=deck.licence_note or notes.get(max(folders, key=len, default="")) or None)


def _members(content: bytes) -> Iterator[tuple[PurePosixPath, bytes]]:
    """Names and contents of the members that are files, without hidden ones. Raises ArchiveError at the limits."""
    left = MAX_UNPACKED_BYTES
    for number, (member, take) in enumerate(_open(content)):
        if number >= MAX_MEMBERS:
            raise ArchiveError(f"more than {MAX_MEMBERS} members")
        path = PurePosixPath(member.replace("\\", "/"))
        if any(part.startswith((".", "__MACOSX")) and part != ".." for part in path.parts):
            continue
        part = take(left + 1)
        left -= len(part)
        if left < 0:
            raise ArchiveError(f"more than {MAX_UNPACKED_BYTES >> 20} MiB in its members")
        yield path, part


def _open(content: bytes) -> Iterator[Member]:
    if is_workbook(content):
        for name, sheet in read_sheets(content):
            yield name, io.BytesIO(sheet).read
    else:
        yield from _open_tar(content) if is_tar(content) else _open_zip(content)


def _open_tar(content: bytes) -> Iterator[Member]:
    with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as archive:
        for info in archive:
            file = archive.extractfile(info) if info.isreg() and not info.issparse() else None
            if file is not None:
                yield info.name, file.read


def _open_zip(content: bytes) -> Iterator[Member]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for info in archive.infolist():
            if not info.is_dir():
                with archive.open(info) as file:
                    yield info.filename, file.read


def _read_member(name: str, path: PurePosixPath, part: bytes, read: Reader) -> Outcome:
    if path.is_absolute() or ".." in path.parts:
        return Outcome(skipped=((str(path), "unsafe_name"),))
    outcome = read(f"{name}!{path}", part)
    reasons = [finding.kind for finding in outcome.findings if finding.kind in NO_DECK]
    findings = tuple(finding for finding in outcome.findings if finding.kind not in NO_DECK)
    skipped = tuple((f"{path}!{entry}", reason) for entry, reason in outcome.skipped)
    return replace(outcome, findings=findings, skipped=(*((str(path), reason) for reason in reasons), *skipped))


def _merge(outcomes: list[Outcome]) -> Outcome:
    """One outcome, in which decks of the same set are one."""
    decks: dict[str, Deck] = {}
    cards: dict[str, list[Card]] = {}
    for deck in (deck for outcome in outcomes for deck in outcome.decks):
        decks.setdefault(deck.set_id, deck)
        cards.setdefault(deck.set_id, []).extend(deck.cards)
    return Outcome(
        decks=tuple(
            replace(deck, cards=tuple(replace(card, position=at) for at, card in enumerate(cards[set_id])))
            for set_id, deck in decks.items()
        ),
        findings=tuple(finding for outcome in outcomes for finding in outcome.findings),
        skipped=tuple(entry for outcome in outcomes for entry in outcome.skipped),
        n_dropped=sum(outcome.n_dropped for outcome in outcomes),
    )


def _refuse(kind: str, detail: str) -> Outcome:
    return Outcome(findings=(Finding(kind=kind, detail=detail),))
