"""From cards to definitions."""

import re
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.cards import acceptance
from crawler.cards.selection import keep, merge, read_cards
from crawler.config import DefinitionConfig
from crawler.definitions import RECIPES, Arguments, main
from data.console.commands import run
from data.contract.tables.definitions import Cards, Definitions, Terms
from data.contract.tables.removals import Rejects
from data.guidance.status import behind
from data.recorded.plans import read_plans
from data.storage.manifest import Manifest
from data.storage.store import Store
from data.texts.languages.detection import confidence
from data.texts.languages.en import ENGLISH
from tests.cluster import Cluster

ANY = DefinitionConfig(min_definitions=1)


def cards(*backs: str, term: str = "hash table", **more: object) -> pd.DataFrame:
    rows = [
        {
            "card_id": f"{term}-{number}",
            "fetched_at": pd.Timestamp("2026-01-01", tz="UTC"),
            "source": "files",
            "url": "file:deck",
            "set_id": f"set {number % 2}",
            "set_title": "deck",
            "position": number,
            "front": term,
            "back": back,
            "language": None,
            "term": term,
            "media": None,
            "body_sha256": "x",
            "copied_from": None,
            "licence_note": None,
        }
        | more
        for number, back in enumerate(backs)
    ]
    return pd.DataFrame(rows).convert_dtypes()


def define(rows: pd.DataFrame, config: DefinitionConfig) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    judged = acceptance.judge_language(read_cards(rows, config, ENGLISH), config, ENGLISH)
    kept, rejects = keep(judged, config)
    return merge(judged, kept, config, ENGLISH), judged.loc[kept, ["definition_id", "card_id"]], rejects


def judge(rows: pd.DataFrame) -> pd.DataFrame:
    rows = rows.assign(definition_id=rows["card_id"]).join(acceptance.judge_form(rows, ANY))
    return acceptance.judge_language(rows, ANY, ENGLISH)


@pytest.mark.parametrize(
    ("back", "more", "reason"),
    [
        ("a structure that maps keys to values", {"media": "image"}, "not_pure_text"),
        ("...", {}, "empty_definition"),
        ("12 + 3 = 15", {}, "empty_definition"),
        ("Hash table.", {}, "repeats_the_front"),
        ('See "Data structures". See "Arrays".', {}, "cross_reference"),
        ("see arrays", {}, "cross_reference"),
        ("structure", {}, "too_short"),
        ("word " * 31, {}, "too_long"),
        ("una estructura de datos que asocia llaves con valores", {}, "other_language"),
        ("eine Datenstruktur, die Schlüssel auf Werte abbildet", {"language": "en"}, "other_language"),
    ],
)
def test_each_rule_has_its_name(back: str, more: dict[str, object], reason: str) -> None:
    verdict = judge(cards(back, **more).assign(text=back)).iloc[0]
    assert verdict["reason"] == reason
    assert verdict["detail"]


@pytest.mark.parametrize(
    "back",
    [
        "maps keys", " ".join(["the"] * 15 + ["word"] * 15), "O(1) lookup by key",
        'See "data structure". A table that maps keys to values',
    ],
)  # fmt: skip
def test_two_and_thirty_words_and_what_follows_a_reference_are_definitions(back: str) -> None:
    assert judge(cards(back).assign(text=back))["reason"].isna().all()


def test_texts_that_differ_in_case_and_spaces_are_one_definition() -> None:
    definitions, sightings, rejects = define(
        cards("Maps keys to values", "maps  keys\nto values", "maps keys to values", "maps keys to a value"),
        ANY,
    )
    assert definitions.sort_values("n_cards")["text"].tolist() == ["maps keys to a value", "maps keys to values"]
    assert sorted(definitions["n_cards"]) == [1, 3]
    assert sorted(definitions["n_sources"]) == [1, 2]
    assert len(sightings) == 4
    assert rejects.empty


def test_number_variants_are_one_entity_and_in_the_paper_two() -> None:
    both = pd.concat([cards("maps keys to values"), cards("maps keys to values", term="hash tables")])
    definitions, _, _ = define(both.reset_index(drop=True), ANY)
    assert definitions["entity"].tolist() == ["hash table"]
    apart = replace(RECIPES["paper"], min_definitions=1)
    definitions, _, _ = define(both.reset_index(drop=True), apart)
    assert sorted(definitions["entity"]) == ["hash table", "hash tables"]


@pytest.mark.parametrize(
    ("fronts", "name"),
    [
        (["MHC class I", "What is MHC class I?", "mhc class I"], "MHC class I"),
        (["mhc class i (cell)", "MHC  Class I:"], "MHC Class I"),
        (["MHC Class Is (cell)", "What are MHC Class Is?", "MHC class i"], "MHC Class Is"),
        (["MHC Class İ"], None),
    ],
)
def test_an_entity_has_the_name_that_most_fronts_write_first_in_order_in_a_tie(
    fronts: list[str], name: str | None
) -> None:
    rows = cards(
        *(f"shows {word} to other cells" for word in ("parts", "proteins", "pieces")[: len(fronts)]), term="mhc class i"
    )
    definitions, _, _ = define(rows.assign(front=fronts), ANY)
    assert set(definitions["entity"]) == {"mhc class i"}
    assert [None if pd.isna(found) else found for found in definitions["written"].unique()] == [name]


@pytest.mark.parametrize(
    ("back", "recommended", "paper"),
    [
        ("a <b>pattern</b> of a <i>set of strings</i>", "a pattern of a set of strings", None),
        ("text -&gt; data -&gt; stack", "text -> data -> stack", None),
        ("text inside &lt;a&gt;&lt;/a&gt; is the link", "text inside <a></a> is the link", None),
        ("checks a sin\u200bgle func\u00adtion", "checks a single function", "checks a single function"),
        ("a List<String> of\n\tnames", "a List<String> of names", "a list<string> of names"),
        (r"1. maps keys.\n2. \nu is its load", r"1. maps keys. 2. \nu is its load", None),
        ('it maps keys. See "Array". See "Key".', "it maps keys.", 'it maps keys. see "array". see "key".'),
        ("https://example.org/a.png maps keys to values", "maps keys to values", None),
        ("maps keys; see how they are stored", "maps keys; see how they are stored", None),
    ],
)  # fmt: skip
def test_a_text_is_what_a_person_sees(back: str, recommended: str, paper: str | None) -> None:
    for recipe, expected in (("recommended", recommended), ("paper", paper or back)):
        config = replace(RECIPES[recipe], min_definitions=1)
        assert define(cards(back), config)[0]["text"].tolist() == [expected]


def test_a_picture_that_is_named_in_the_text_is_one() -> None:
    rejects = define(cards('a tree like this one <img src="tree.png">'), ANY)[2]
    assert rejects[["reason", "detail"]].to_numpy().tolist() == [["not_pure_text", "image"]]


def test_a_set_and_its_copies_are_one_source() -> None:
    rows = cards(*["maps keys to values"] * 3)
    rows["set_id"], rows["copied_from"] = ["first", "copy", "other"], [None, "first", None]
    definition = define(rows, ANY)[0].iloc[0]
    assert (definition["n_cards"], definition["n_sources"]) == (3, 2)


def test_copies_of_copies_are_one_source_even_in_a_circle() -> None:
    rows = cards(*["maps keys to values"] * 5)
    rows["set_id"] = ["first", "copy", "copy of it", "round", "about"]
    rows["copied_from"] = [None, "first", "copy", "about", "round"]
    definition = define(rows, ANY)[0].iloc[0]
    assert definition["n_sources"] == 2
    assert define(rows[:3], ANY)[0]["n_sources"].tolist() == [1]


def test_texts_of_many_decks_and_of_glossaries_are_marked() -> None:
    rows = cards(*["maps keys to values"] * 4, *["a word of a glossary"] * 2, "somebody's own words")
    rows["set_id"] = [f"set {number}" for number in range(len(rows))]
    rows.loc[5, "source"] = "glossary.nist"
    marks = define(rows, replace(ANY, many_sources=4))[0].set_index("text")["verbatim"]
    assert marks["maps keys to values"] == "decks"
    assert marks["a word of a glossary"] == "glossary.nist"
    assert pd.isna(marks["somebody's own words"])


def test_the_most_frequent_way_to_write_a_text_represents_it() -> None:
    rows = cards("Maps keys", "maps keys", "MAPS KEYS", "maps keys", "Maps keys")
    assert define(rows, ANY)[0]["text"].tolist() == ["Maps keys"]


def test_an_entity_needs_five_after_merging() -> None:
    five = [f"maps a key to value number {number}" for number in range(5)]
    kept, _, rejects = define(cards(*five), DefinitionConfig())
    assert len(kept) == 5
    assert rejects.empty
    kept, sightings, rejects = define(cards(*five[:4], five[0].upper()), DefinitionConfig())
    assert kept.empty
    assert sightings.empty
    assert set(rejects["reason"]) == {"entity_has_too_few_definitions"}
    assert rejects["detail"].iloc[0] == "hash table: 4"


def test_the_paper_recipe_lower_cases() -> None:
    config = DefinitionConfig(min_definitions=1, lower_case=RECIPES["paper"].lower_case)
    definitions, _, _ = define(cards("Maps Keys to values"), config)
    assert definitions["text"].tolist() == ["maps keys to values"]


@pytest.mark.sweep
@given(st.lists(st.sampled_from(["maps keys to values", "Maps keys to values", "x", "", "finds a record by its key"])))
def test_every_card_is_a_sighting_or_a_reject(backs: list[str]) -> None:
    given_ = cards("maps a key to its value quickly", *backs)
    definitions, sightings, rejects = define(given_, DefinitionConfig(min_definitions=2))
    assert sorted([*sightings["card_id"], *rejects["id"]]) == sorted(given_["card_id"])
    assert set(sightings["definition_id"]) == set(definitions["definition_id"])


def call(store: Store, *args: str) -> int:
    return run(main, prog="python -m crawler.definitions", args=["--store", str(store.root), *args], recipes=RECIPES)


def test_the_command_writes_once_and_takes_the_latest_fetch(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = cards("maps keys to old values"), cards("maps keys to new values")
    new["fetched_at"] = pd.Timestamp("2026-02-01", tz="UTC")
    store.append(Cards, pd.concat([old, new]), Manifest(stage="crawler.files"))
    assert call(store, "--min-definitions", "1") == 0
    assert store.read(Definitions)["text"].tolist() == ["maps keys to new values"]
    assert call(store, "--min-definitions", "1") == 0
    assert "nothing to do" in capsys.readouterr().out
    assert store.version(Definitions) == 0
    assert Arguments().config == RECIPES["recommended"]


def test_a_store_without_cards_is_one_line(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(store) == 2
    assert "expected a table of cards, found none" in capsys.readouterr().err


@pytest.mark.sweep
@pytest.mark.parametrize("engine", ["processes:2", "dask"])
def test_every_engine_detects_the_same_languages(engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [*(f"a structure that keeps {n} keys in order" for n in range(12)), "eine Menge von Knoten und Kanten"] * 2
    monkeypatch.setattr(acceptance, "TEXTS_AT_ONCE", 5)
    batches = acceptance.Batches(pd.Series(texts, dtype="string[pyarrow]"), np.arange(len(texts)))
    with Cluster(tmp_path) if engine == "dask" else nullcontext() as running:
        named = f"dask:{running.address}" if running else engine
        found = acceptance.measure(batches, ENGLISH, named)
    assert found == pytest.approx(confidence(texts, ENGLISH.code))  # the detector adds up in no fixed order


@pytest.mark.sweep
def test_language_rule_on_the_released_definitions(shared_data: Path) -> None:
    released = pd.read_csv(shared_data / "parade" / "derived_definitions.tsv.gz", sep="\t", quoting=3, dtype=str)
    sample = released["definition"].tolist()
    english = pd.Series(confidence(sample, ENGLISH.code))
    assert len(sample) == 10_168
    assert int((english < DefinitionConfig().min_confidence).sum()) == 3


@pytest.mark.sweep
def test_the_rule_of_five_on_the_released_definitions(shared_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(acceptance, "measure", lambda batches, *_: np.ones(sum(map(len, batches))))
    released = pd.read_csv(shared_data / "parade" / "derived_definitions.tsv.gz", sep="\t", quoting=3, dtype=str)
    rows = cards(*released["definition"]).assign(term=released["entity"], front=released["entity"])
    for recipe, entities, dropped in (("paper", 788, 279), ("recommended", 716, 247)):
        definitions, sightings, rejects = define(rows, RECIPES[recipe])
        assert len(sightings) + len(rejects) == 10_168
        few = rejects[rejects["reason"] == "entity_has_too_few_definitions"]["detail"].str.rsplit(":", n=1).str[0]
        assert (definitions["entity"].nunique(), few.nunique()) == (entities - dropped, dropped)


def test_no_definition_is_a_finding_with_its_reasons(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    store.append(Cards, cards("maps keys to values", "word " * 31, "x"), Manifest(stage="crawler.files"))
    for _ in range(2):
        assert call(store) == 1
        printed = capsys.readouterr()
        assert "next:" not in printed.out
        assert "no definitions: all 3 cards are rejects (" in printed.err
        assert "1 too_long" in printed.err


def test_no_definition_of_cards_in_another_language_names_its_flag(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    german = [f"Eine Tabelle ordnet jedem Schlüssel den {n}. Wert zu, der in einem Eimer liegt." for n in range(4)]
    store.append(Cards, cards(*german), Manifest(stage="crawler.files"))
    assert call(store) == 1
    assert "100% of the cards are not in English, most of these in German" in capsys.readouterr().err


@pytest.mark.sweep
def test_cards_mostly_in_another_language_are_a_finding(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    german = [f"Eine Tabelle ordnet jedem Schlüssel den {n}. Wert zu, der in einem Eimer liegt." for n in range(5)]
    plain = [f"a table that maps each key to the value with number {n} in a bucket" for n in range(5)]
    store.append(Cards, cards(*plain, *german), Manifest(stage="crawler.files"))
    for _ in range(2):
        assert call(store) == 1
        printed = capsys.readouterr()
        assert "next: python -m clustering propose" in printed.out
        assert "findings: 5 of 10 texts are rejects because they are not in English; 50% of the cards" in printed.err
        assert "--min-confidence 0 keeps them" in printed.err
    assert call(store, "--min-confidence", "0") == 0


@pytest.mark.sweep
def test_the_screen_says_what_other_limits_would_give(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    four = [f"maps a key to the value with number {number}" for number in range(4)]
    rows = [cards(*four, "long words " * 20), cards("a tree of nodes and edges", term="binary tree")]
    store.append(Cards, pd.concat(rows), Manifest(stage="crawler.files"))
    assert call(store) == 1
    printed = capsys.readouterr().out
    assert (
        "entities by their number of definitions: 1 with 1, 0 with 2, 0 with 3, 1 with 4, 0 with 5 or more" in printed
    )
    shown = dict(re.findall(r"(--[a-z-]+ \d+) would give (\d+ definitions? of \d+ entit(?:y|ies))", printed))
    assert set(shown) == {"--min-definitions 4", "--max-words 45"}
    unsaid = {f"--min-definitions {n}": shown["--min-definitions 4"] for n in (2, 3)}
    unsaid["--max-words 60"] = shown["--max-words 45"]  # no more than the flag before it: left out
    for flag, expected in (shown | unsaid).items():
        call(store, *flag.split(" "))
        n_definitions, entities = expected.split(" of ")
        printed = capsys.readouterr().out
        assert f"{n_definitions} written to" in printed
        assert f"{entities}, from" in printed
    assert shown["--max-words 45"] == "5 definitions of 1 entity"


def test_names_that_differ_by_a_final_s_and_stay_apart_are_said(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [cards("what people can buy and sell", term="goods"), cards("what is of use to people", term="good")]
    store.append(Cards, pd.concat(rows), Manifest(stage="crawler.files"))
    assert call(store, "--min-definitions", "1") == 0
    assert "names that differ by a final s alone stay apart: good and goods\n" in capsys.readouterr().out


def test_cards_of_terms_that_are_gone_give_no_definitions(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    def keep(*names: str) -> None:
        table = pd.DataFrame({"term": names, "canonical": names, "variants": [[name] for name in names]})
        columns = dict.fromkeys(set(Terms.arrow_schema().names) - set(table.columns))
        store.replace(Terms, table.assign(**columns).convert_dtypes(), Manifest(stage="crawler.terminology"))

    def harvest(source: str, terms: str) -> None:
        manifest = Manifest(stage=f"crawler.{source}", config={"terms": terms})
        rows = pd.concat(
            [cards("maps keys to values", term="hash tables"), cards("has two children", term="binary tree")]
        )
        rows["card_id"] += source
        store.append(Cards, rows.assign(source=source), manifest)
        none = pd.DataFrame({"id": [], "reason": [], "detail": []}, dtype=object)
        store.reject("crawler", none, manifest, part=source)

    keep("hash table", "binary tree")
    harvest("files", "table")
    harvest("quizlet", "any")
    assert call(store, "--min-definitions", "1") == 0
    assert len(store.read(Definitions)) == 2
    assert behind(store, Definitions, read_plans(store)) == []
    keep("hash table")
    assert behind(store, Definitions, read_plans(store)) == ["terms"]
    assert call(store, "--min-definitions", "1") == 0
    assert "1 dropped: term_is_gone" in capsys.readouterr().out
    rejects = store.read(Rejects, stage="crawler.definitions")
    assert rejects[["id", "detail"]].to_numpy().tolist() == [["binary tree-0files", "binary tree"]]
