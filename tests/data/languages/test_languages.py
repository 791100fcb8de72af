"""What a word is in each language."""

import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.tokenize import NLTKWordTokenizer

from data.errors import InputError
from data.labelled import parade
from data.languages.known import ENGLISH, codes, language
from data.words import normalise


@pytest.mark.parametrize("code", codes())
def test_a_language_is_found_by_its_code_and_pickled_as_it(code: str) -> None:
    known = language(code)
    assert (known.code, pickle.loads(pickle.dumps(known))) == (code, known)
    assert known.stop_words <= known.edge_words


@pytest.mark.parametrize("code", codes())
@given(st.text())
def test_a_canonical_form_is_normalised_whatever_the_text(code: str, text: str) -> None:
    assert normalise(language(code).canonical(text)) == language(code).canonical(text)


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(InputError, match=r"language: expected .*en.*, found 'xx'"):
        language("xx")


@pytest.mark.parametrize(
    ("word", "lemma"),
    [
        ("structures", "structure"),
        ("networks", "network"),
        ("queries", "query"),
        ("analyses", "analysis"),
        ("classes", "class"),
        ("wolves", "wolf"),
        ("was", "wa"),
        ("qubitish", "qubitish"),
    ],
)
def test_lemma(word: str, lemma: str) -> None:
    assert ENGLISH.lemma(word) == lemma


def test_tokens_split_punctuation_and_contractions() -> None:
    assert ENGLISH.tokens("It doesn't store keys, values.") == (
        "it",
        "does",
        "n't",
        "store",
        "keys",
        ",",
        "values",
        ".",
    )


pieces = st.lists(st.sampled_from([*"ab 0-/;()?!%&#,.:+=*'\"é", "cannot", "gonna", "--", " "]), max_size=12)


@given(pieces.map("".join))
def test_tokens_are_those_of_nltk(text: str) -> None:
    assert list(ENGLISH.tokens(text)) == NLTKWordTokenizer().tokenize(text.lower())


def test_tokens_of_the_release_are_those_of_nltk(shared_data: Path) -> None:
    table = parade.read(shared_data / "parade").head(2_000)
    plain = NLTKWordTokenizer()
    assert all(list(ENGLISH.tokens(text)) == plain.tokenize(text.lower()) for text in table["first"])


def test_content_stems_leave_out_stop_words_and_punctuation() -> None:
    assert ENGLISH.content_stems("The keys of a system, and their mappings!") == {"key", "system", "map"}


@given(st.lists(st.text(alphabet="abcdefs", min_size=1, max_size=8), min_size=1, max_size=3))
def test_canonical_ignores_case_and_spaces(parts: list[str]) -> None:
    assert ENGLISH.canonical("  ".join(parts).upper()) == ENGLISH.canonical(" ".join(parts))


def test_released_entities_merge_to_716(shared_data: Path) -> None:
    frame = parade.read(shared_data / "parade")
    canonical = frame["entity"].map(ENGLISH.canonical)
    assert frame["entity"].nunique() == 788
    assert canonical.nunique() == 716
    train, validation, _ = (set(canonical[frame["split"] == split]) for split in parade.SPLITS)
    assert int(canonical[frame["split"] == "validation"].isin(train).sum()) == 436
    assert int(canonical[frame["split"] == "test"].isin(train).sum()) == 105
    assert int(canonical[frame["split"] == "test"].isin(train | validation).sum()) == 159


@pytest.mark.parametrize(
    ("variants", "headword"),
    [
        ("structure structures", "structure"),
        ("analysis analyses", "analysis"),
        ("synapse synapses", "synapse"),
        ("dose doses", "dose"),
        ("dataset datasets", "dataset"),
        ("tooth teeth", "tooth"),
        ("woman women", "woman"),
        ("axis axes", "axis"),
        ("species", "species"),
        ("aids", "aids"),
        ("pus", "pus"),
        ("us", "us"),
        ("shingles", "shingles"),
        ("diabetes", "diabetes"),
        ("dynamics", "dynamics"),
        ("means", "means"),
        ("media", "media"),
        ("discuss", "discuss"),
        ("torus", "torus"),
        ("navier-stokes", "navier-stokes"),
        ("pylori", "pylori"),
        ("asymptotics", "asymptotics"),
        ("metric metrics", "metric"),
        ("emphasise emphasises", "emphasise"),
        ("arise arises", "arise"),
        ("mses", "mses"),
    ],
)
def test_english_headwords(variants: str, headword: str) -> None:
    assert {ENGLISH.headword(variant) for variant in variants.split()} == {headword}


def test_other_headwords_take_the_place_of_the_usual_ones() -> None:
    adapted = ENGLISH.with_headwords({"shingles": "shingle", "gans": "gan"})
    assert adapted.canonical("painful shingles of gans and trees") == "painful shingle of gan and tree"
    assert ENGLISH.headword("shingles") == "shingles"


@pytest.mark.parametrize(
    ("variants", "lemma"),
    [
        ("leukämie leukämien", "leukämie"),
        ("akute akuten akuter akutes akutem", "akut"),
        ("verminderte vermindertes verminderter", "vermindert"),
        ("haut", "haut"),
        ("studie studien", "studie"),
        ("vertrag verträge vertrags verträgen", "vertrag"),
        ("virus viren", "virus"),
        ("welle wellen", "welle"),
        ("quarkblattsen", "quarkblattsen"),
    ],
)
def test_german_lemmas(variants: str, lemma: str) -> None:
    assert {language("de").lemma(variant) for variant in variants.split()} == {lemma}


@pytest.mark.parametrize(
    "front",
    [
        "was ist eine synapse",
        "was versteht man unter dem begriff synapse",
        "definition: synapse",
        "erklären sie den begriff der synapse",
        "die synapse",
        "synapse",
    ],
)
def test_german_questions(front: str) -> None:
    assert language("de").question.sub("", front) == "synapse"


def test_german_stems_leave_out_german_stop_words() -> None:
    assert language("de").content_stems("Die Zellen der Haut und die Häute.") == {"zell", "haut"}
