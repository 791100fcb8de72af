"""What a word is in each language."""

import pickle
import re
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from nltk.tokenize import NLTKWordTokenizer

from data.console.errors import InputError
from data.contract.vocabulary import SPLITS
from data.labelled import parade
from data.texts.languages.base import codes, language
from data.texts.languages.en import ENGLISH
from data.texts.words import normalise


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


pieces = st.lists(
    st.sampled_from([*"ab 0٣-/;()?!%&#,:+=*@$[]{}<>\\^_|~’–'\"éı\u3000\n", "cannot", "g\u0131mme", "gonna", "--", " "]),
    max_size=12,
)


@given(pieces.map("".join), st.sampled_from(["", ".", ".)", " ..."]))
def test_tokens_of_a_sentence_match_nltk(text: str, end: str) -> None:
    assume(re.search(r"(?:^|[\s(\[])[^\W\d_]$", text) is None or end != ".)")
    sentence = (text + end).lower()
    assert list(ENGLISH.tokens(sentence)) == NLTKWordTokenizer().tokenize(sentence)


def test_tokens_of_the_release_match_nltk(shared_data: Path) -> None:
    texts = parade.read(shared_data / "parade")["first"].head(2_000).str.lower()
    plain = NLTKWordTokenizer()
    sentences = texts[~texts.str.contains(r"[.]\W*[\w,;:&#]|etc[.]", regex=True)]
    assert len(sentences) > 1_500
    assert all(list(ENGLISH.tokens(text)) == plain.tokenize(text) for text in sentences)


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        ("en", "links between networks. routers do it", "links between networks . routers do it"),
        ("en", "Links between networks.Routers do it.", "links between networks . routers do it ."),
        (
            "en",
            "node.js, asp.net and robots.txt at www.acme.com.",
            "node.js , asp.net and robots.txt at www.acme.com .",
        ),
        ("en", "lists, e.g. of U.S. firms, etc. see Fig. 3", "lists , e.g. of u.s. firms , etc. see fig. 3"),
        ("en", "lists (a.k.a. arrays, trees, etc.)", "lists ( a.k.a. arrays , trees , etc. )"),
        ("en", "by J. R. Smith, for class c.", "by j. r. smith , for class c ."),
        ("en", "it loses the researcher's. then 1°C.", "it loses the researcher 's . then 1°c ."),
        ("en", "we don't. version 2.0. in 1995. ends", "we do n't . version 2.0 . in 1995 . ends"),
        ("en", "[data.] is kept... and (lost.) too..", "[ data . ] is kept ... and ( lost . ) too .."),
        ("de", "Netze, z.B. Graphen usw. und vgl. Abs. 3.", "netze , z.b. graphen usw. und vgl. abs. 3 ."),
        ("de", "Ein Netz, d. h. ein Graph. Router tun es.", "ein netz , d. h. ein graph . router tun es ."),
        ("de", "Dr. Meier kennt Netze.Router sind es ggf.", "dr. meier kennt netze . router sind es ggf."),
    ],
)
def test_a_full_stop_is_a_token_unless_it_belongs_to_an_abbreviation(code: str, text: str, expected: str) -> None:
    assert " ".join(language(code).tokens(text)) == expected


PROSE = ["key", "network", "maps", "stores", "3", "x's", "2.5", "(old)", "e.g.", "etc.", "u.s.", "c", "don't"]
prose = st.lists(st.sampled_from(PROSE), min_size=1)
sentences = st.lists(prose.map(" ".join), min_size=1, max_size=5)


@pytest.mark.parametrize("code", codes())
@given(sentences, st.sampled_from([". ", ".  ", ".\n"]))
def test_a_full_stop_inside_a_text_changes_no_word(code: str, parts: list[str], stop: str) -> None:
    known = language(code)
    apart = frozenset().union(*map(known.content_stems, parts))
    assert known.content_stems(stop.join(parts)) == known.content_stems(" ".join(parts)) == apart


MARKS = [*"...a0-/;)(?!%&#,:'\"…”’[]é ", "ab", "c.", "net", "etc"]


@pytest.mark.parametrize("code", codes())
@given(st.lists(st.sampled_from(MARKS)))
def test_only_abbreviations_end_in_a_full_stop(code: str, parts: list[str]) -> None:
    known = language(code)
    stopped = [token for token in known.tokens("".join(parts)) if token.endswith(".") and token.strip(".")]
    words = [re.split("[-/…]", token[:-1])[-1] for token in stopped]  # `and/etc.` is one token
    assert all(word in known.abbreviations or re.fullmatch(r"\w(\.\w)*", word) for word in words)


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
    train, validation, _ = (set(canonical[frame["split"] == split]) for split in SPLITS)
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
        ("argos", "argos"),
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
