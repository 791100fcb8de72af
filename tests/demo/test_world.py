"""The demo world as files: what it holds, that its scripts make it, that it names no one."""

import gzip
import io
import json
import re
import sqlite3
import zipfile
from pathlib import Path

import pytest
import zstandard

from demo.card_site.decks import DECKS, read_decks
from demo.making import make_packages, make_papers
from demo.making.paper_fragments import BROKEN, TERMS

DEMO = Path(make_papers.__file__).parents[1]
PAPERS = [json.loads(line) for line in make_papers.PAPERS.read_text(encoding="utf-8").splitlines()]
THRESHOLD = 20


def mentions(phrase: str) -> int:
    """Papers with the phrase inside a sentence of title or abstract."""
    pattern = re.compile(rf"\b{phrase}\b", re.IGNORECASE)
    return sum(bool(pattern.search(f"{paper['title']}\n{paper['abstract']}")) for paper in PAPERS)


def test_papers_are_what_the_script_makes():
    assert make_papers.as_lines(make_papers.make_papers()) == make_papers.PAPERS.read_text(encoding="utf-8")


def test_another_seed_makes_other_papers():
    assert make_papers.make_papers(seed=1) != make_papers.make_papers(seed=2)


def test_papers_have_the_expected_columns_and_some_have_no_abstract():
    assert {tuple(paper) for paper in PAPERS} == {("id", "title", "abstract", "year", "venue")}
    assert len({paper["id"] for paper in PAPERS}) == len(PAPERS) == make_papers.N_PAPERS
    assert sum(not paper["abstract"] for paper in PAPERS) == make_papers.N_EMPTY


@pytest.mark.parametrize("term", TERMS)
def test_each_term_occurs_in_the_stated_number_of_papers(term):
    plural, n_singular, n_plural = TERMS[term]
    assert mentions(term) == n_singular
    assert not plural or mentions(plural) == n_plural


def test_some_dozens_of_terms_pass_the_threshold_and_some_lie_at_it():
    frequencies = [singular for _, singular, _ in TERMS.values()]
    assert sum(n > THRESHOLD for n in frequencies) >= 46
    assert THRESHOLD in frequencies
    assert min(frequencies) < THRESHOLD


@pytest.mark.parametrize("term", BROKEN)
def test_counting_across_sentences_would_lift_rare_terms_over_the_threshold(term):
    first, second = term.split()
    across = mentions(rf"{first}\. {second}")
    assert across == BROKEN[term]
    assert mentions(term) <= THRESHOLD < mentions(term) + across


def test_the_curated_list_drops_frequent_phrases_only():
    lines = (DEMO / "terms_to_drop.txt").read_text(encoding="utf-8").splitlines()
    dropped = [line for line in lines if line and not line.startswith("#")]
    assert len(dropped) >= 10
    assert all(mentions(phrase) > THRESHOLD for phrase in dropped)
    assert not set(dropped) & set(TERMS)


def test_decks_are_many_and_by_many_authors():
    decks = read_decks()
    assert 40 <= len(decks) <= 70
    assert len({deck.creatorId for deck in decks.values()}) > 25
    assert all(DECKS.joinpath(f"{number}.json").exists() for number in decks)
    assert {deck.parentId for deck in decks.values()} - {0} <= set(decks)


def test_no_one_is_named():
    """Capitals inside a sentence are left to acronyms, ideographs and the words listed here."""
    allowed = {"Anki", "Front", "Operating", "Neural", "Which", "What"}
    texts = [card.definition for deck in read_decks().values() if deck.defLang == "en" for card in deck.terms]
    texts += [path.read_text(encoding="utf-8") for path in DEMO.glob("files/*.csv")]
    texts += [paper["abstract"] for paper in PAPERS]
    found = {word for text in texts for word in re.findall(r"(?<=[a-z,;] )[A-Z][a-z]+", text)}
    assert found <= allowed


def dump(collection: bytes) -> list[str]:
    database = sqlite3.connect(":memory:")
    database.create_collation("unicase", lambda a, b: (a.lower() > b.lower()) - (a.lower() < b.lower()))
    database.deserialize(collection)
    try:
        return list(database.iterdump())
    finally:
        database.close()


def contents(path: Path) -> dict[str, object]:
    """Entries of a package, decompressed; collections as SQL, so that library versions do not matter."""
    found: dict[str, object] = {}
    with zipfile.ZipFile(path) as package:
        for name in package.namelist():
            content = package.read(name)
            if content.startswith(b"\x28\xb5\x2f\xfd"):
                content = zstandard.ZstdDecompressor().stream_reader(io.BytesIO(content)).read()
            found[name] = dump(content) if content.startswith(b"SQLite format 3") else content
    return found


def test_packages_are_what_the_script_makes(tmp_path):
    written = make_packages.write_files(tmp_path)
    assert {path.suffix for path in written} == {".apkg", ".gz"}
    for path in written:
        kept = make_packages.FILES / path.name
        if path.suffix == ".gz":
            assert gzip.decompress(path.read_bytes()) == gzip.decompress(kept.read_bytes())
        else:
            assert contents(path) == contents(kept)


@pytest.mark.parametrize(
    ("name", "collection", "version", "n_notes"),
    [
        ("legacy_1.apkg", "collection.anki2", 11, 9),
        ("legacy_2.apkg", "collection.anki21", 11, 9),
        ("latest.apkg", "collection.anki21b", 18, 12),
    ],
)
def test_each_container_holds_its_collection(name, collection, version, n_notes):
    found = contents(make_packages.FILES / name)
    sql = found[collection]
    assert isinstance(sql, list)
    assert sum(line.startswith('INSERT INTO "notes"') for line in sql) == n_notes
    assert any(line.startswith(f'INSERT INTO "col" VALUES(1,0,0,0,{version},') for line in sql)
    if collection != "collection.anki2":
        decoy = found["collection.anki2"]
        assert isinstance(decoy, list)
        assert sum(line.startswith('INSERT INTO "notes"') for line in decoy) == 1


def test_zstd_frames_have_no_content_size_and_latest_is_stored():
    with zipfile.ZipFile(make_packages.FILES / "latest.apkg") as package:
        assert {entry.compress_type for entry in package.infolist()} == {zipfile.ZIP_STORED}
        with pytest.raises(zstandard.ZstdError, match="content size"):
            zstandard.ZstdDecompressor().decompress(package.read("collection.anki21b"))
