"""The names that people give the two sides of a card: in the first row of a table, as keys, as fields of Anki notes."""

import re
from collections.abc import Collection, Sequence
from functools import lru_cache

from data.texts import words


def _names(*lines: str) -> frozenset[str]:
    return frozenset("|".join(lines).split("|"))


FRONT_NAMES = _names(
    "front|front side|front text|side 1|side a|text 1",
    "term|terms|question|word|lemma|concept|entity|prompt|headword|key term|vocabulary|pref label|preferred label",
    "preferred term",
    "vorderseite|begriff|fachbegriff|frage|wort|ausdruck|recto|terme|mot|question|notion",
    "anverso|anvers|término|termino|pregunta|palabra|concepto|fronte|termine|domanda|parola",
    "frente|termo|pergunta|palavra|față",
    "voorkant|begrip|vraag|woord|framsida|fråga|ord|forside|begrep|spørsmål|etupuoli|kysymys|előlap|kérdés",
    "przód|pojęcie|pytanie|líc|pojem|otázka|predná strana|prednja strana|naprijed|pitanje|pojam|spredaj",
    "лицевая сторона|термин|вопрос|слово|передня сторона|питання|лице|лицева част|въпрос",
    "ön|ön yüz|terim|soru|μπροστά|ερώτηση|depan|mặt trước|أمام|سؤال|جلو|اصطلاح|واژه|קדמי|שאלה|מונח|מושג|सामने|ด้านหน้า",
    "正面|术语|術語|问题|問題|词|表|表面|用語|質問|単語|앞면|용어|질문|단어",
)
"""Lower-case names of the side that asks or names, in the languages of Anki's users and of exported tables."""

BACK_NAMES = _names(
    "back|back side|back text|side 2|side b|text 2",
    "definition|definitions|def|defn|answer|answers|meaning|meanings|solution",
    "rückseite|antwort|bedeutung|lösung|verso|définition|réponse|signification",
    "reverso|revers|dorso|definición|definicion|respuesta|significado|retro|definizione|risposta|significato",
    "definição|resposta",
    "achterkant|definitie|antwoord|betekenis|baksida|svar|bakside|bagside|definisjon|kääntöpuoli|vastaus|hátlap|válasz",
    "tył|definicja|odpowiedź|rub|definice|odpověď|zadná strana|stražnja strana|poleđina|nazad|odgovor|definicija|zadaj",
    "обратная сторона|определение|ответ|значение|зворотна сторона|відповідь|наличје|гръб|отговор",
    "geri|arka yüz|tanım|cevap|πίσω|απάντηση|belakang|mặt sau|خلف|إجابة|پشت|تعریف|معنی|पीछे|ด้านหลัง",
    "אחורי|תשובה|הגדרה|ביאור|הסבר",
    "背面|反面|定义|定義|答案|释义|裏|裏面|意味|答え|뒷면|정의|답변|뜻",
)
"""Lower-case names of the side that answers or explains, in the same languages."""

FAINT_FRONT_NAMES = _names(
    "name|expression|text|title|label|display|display name|bezeichnung|acronym|abbreviation|keyword|phrase|q|f",
    "abbr|abb|short|원문|原文",
)
"""Names that mean the front where nothing has one of FRONT_NAMES."""

KEYS = _names("key")
"""Names that mean the front where nothing has one of these either."""

FAINT_BACK_NAMES = _names(
    "description|descr|desc|explanation|expl|elucidation|details|gloss|brief introduction|introduction|what it is",
    "short description|brief description|long description|full description",
    "erklärung|beschreibung|explication|descripción|spiegazione|descrizione|explicação|descrição",
    "解释|解釋|説明|说明|설명|explanations|tooltip",
)
"""Names that mean the back where nothing has one of BACK_NAMES."""

TRANSLATION_NAMES = _names(
    "value|response|translation|english|a|b|번역|번역문|翻译|译文|中文|翻訳|日本語|한국어",
)
"""Names that mean the back where nothing has one of these either."""

EXTRAS = _names("extra|back extra|extra rückseite")
"""Names that mean the back of a table where nothing else does; a note's template shows whether they do."""

ASIDES = _names(
    "audio|sound|image|picture|photo|media|video|diagram|pronunciation|ipa|phonetic|phonetics|transcription",
    "reading|pinyin|zhuyin|ruby|furigana|kana|part of speech|pos|gender|example|examples|example sentence|sentence",
    "uri|source|sources|reference|references|link|url|author|date|page|book|chapter|lesson|section|unit|module|context",
    "instruction|instructions|hint|hints|note|notes|comment|comments|remark|remarks|mnemonic|priority|importance",
    "difficulty|level|frequency|rank|id|note id|guid|uid|number|no|nr|index|sort|order|tag|tags|category|deck|subdeck",
    "header|footer|reverse|add reverse|include reverse|card|type|bild|ton|quelle|beispiel|aussprache|kontext|hinweis",
)
"""Lower-case names of what goes with a card without being one of its sides."""

_LAST_WORDS = frozenset({"front", "back", "term", "question", "word", "definition", "answer", "meaning"})
_OTHER_WORDS = frozenset({"wrong", "incorrect", "false", "sample", "root", "example"})
"""First words with which `answer`, `question` or `word` at the end means something else."""
_EXPANSIONS = _names("expansion|full form|full name|stands for")
"""Names of what an acronym is short for, which are the back where no last word of a name tells it."""
_BESIDE = (
    ("short", "long"),
    *((f"source{what}", f"target{what}") for what in ("", " term", " text", " word")),
    ("src", "tgt"),
)
_LETTERS = (("n", "d"), ("t", "d"), ("w", "d"))
"""Names that mean sides only beside each other: of an acronym and of what it is short for; of a translation; letters
for name, term or word and for definition, where there are no other names.
"""
_NAMING = frozenset({"name", "key", "title", "acronym", "abbreviation", "keyword", "phrase", "expression"})
"""Words in the name of a column that holds names."""
_LABELS = FRONT_NAMES | BACK_NAMES | {"q", "a"}
_SIDES = FRONT_NAMES | BACK_NAMES | FAINT_BACK_NAMES | TRANSLATION_NAMES | _NAMING
_JOINT = re.compile(r"(?<=[a-z])(?=[A-Z])")
_BREAK = re.compile(r"[ /-]+|(?<=[中英日]文)(?=\w)|(?<=[英日]語)(?=\w)")
_OR = re.compile(" ?/ ?| or ")
_KEPT = 2**8
"""Rows of names that are looked up once: records have the same ones again and again."""
_MOST_WORDS, _FEWEST_LETTERS = 4, 4
"""Words of a column's name, letters of a language that is no code."""
_COMMON = frozenset({"front", "back"})
"""Words that many names begin with that are no side: `front-end`, `back_color`."""
_NO_SIDE = ASIDES | _names(
    "count|length|language|lang|score|status|list|time|color|style|class|group|set|key|file|path"
)
"""Last words of what is no text: `term_id`, `word_count`."""
_OF_OTHERS = _OTHER_WORDS | _names("correct|right|user|student|your|given|lang|language|has|is|num")
"""First words of columns that describe a side, or hold what is no side: `has_term`, `student_answer`."""
_LANGUAGES = _names(
    "english|swedish|german|french|spanish|italian|portuguese|dutch|latin|greek|russian|polish|turkish|japanese|chinese",
    "korean|arabic|hebrew|hindi|thai|vietnamese|finnish|danish|norwegian|czech|ukrainian|hungarian|armenian|persian",
    "deutsch|englisch|französisch|spanisch|italienisch|lateinisch|français|anglais|allemand|español|inglés|alemán",
    "italiano|inglese|tedesco|português|inglês|nederlands|engels|svenska|engelska|polski|angielski|niemiecki|русский",
    "английский|中文|英文|英語|英语|日本語|한국어|영어|คําไทย|ไทย|العربية|türkçe|suomi|česky|українська|romaji|kanji|hanzi",
    "en|de|fr|es|pt|nl|sv|da|fi|pl|cs|ru|uk|tr|ar|el|hi|th|vi|ja|zh|ko|hy|hu|eng|deu|ger|fra|fre|spa|ita",
    "por|rus|jpn|zho|chi|kor|ara|lat|ell|gre|nld|dut|swe|pol|tur|heb|fas|per|ukr|ces|cze|hun|vie|tha|hin",
)
"""Languages and scripts, and their codes in ISO 639 where these are no other words."""
ENGLISH = "en"
_ENGLISH = frozenset({ENGLISH, "eng", "english"})
_IN_NAMESPACE = re.compile(
    r"(?:[a-z]{2,12}:|https?://\S{1,200}[/#])(\w{1,40})(?:@[\w-]{2,12})?(?:\(.{0,40}\))?", re.IGNORECASE
)
"""A name as RDF has it: `skos:prefLabel@en`, also as an address."""
_NUMBERED = re.compile(r" ?[(\[][^()\[\]]{0,80}[)\]]$| ?#?\d{1,3}$")


Named = tuple[tuple[str, str], ...]
"""Names of front and back by the operator's word; of several pairs, the first that a record has counts."""


def find_sides(row: Sequence[str], named: Named = ()) -> tuple[int, int] | None:
    """The places of front and back where the row names both, as `named` or as people name them; None in any other."""
    return find_named(row, named) or _find_sides(tuple(row))


@lru_cache(maxsize=_KEPT)
def _find_sides(row: tuple[str, ...]) -> tuple[int, int] | None:
    names = list(map(_read_bare, row))
    front, back = find_strong_sides(row)
    languages = [at for at, name in enumerate(row) if names_language(name)]
    if back is None and _find(names, FRONT_NAMES, FAINT_BACK_NAMES) is None and _are_pair(row, languages):
        return languages[0], languages[1]
    is_named = front is not None
    front = _find(names, FAINT_FRONT_NAMES, KEYS) if front is None else front
    back = _find(names, FAINT_BACK_NAMES) if back is None else back
    back = _find_word(row, FAINT_BACK_NAMES, front) if back is None and is_named else back
    back = _find(names, TRANSLATION_NAMES, EXTRAS, *([_ENGLISH] if is_named else [])) if back is None else back
    back = _find(names, _EXPANSIONS) if back is None and not find_last_words(row)[1] else back
    pairs = (*_BESIDE, *(_LETTERS if len(names) == 2 else ()))
    if back is None and (pair := find_named(names, pairs)) and front in (None, pair[0]):
        front, back = pair
    front = _find_named_alike(names, row, back) if front is None else front
    front = next((at for at in languages if at != back), None) if front is None else front
    return None if front is None or back is None or front == back else (front, back)


def find_sure_sides(names: Sequence[str], named: Named = ()) -> tuple[int, int] | None:
    """The places of front and back as `named` or by names that mean nothing else; None where a side has none."""
    front, back = find_named(names, named) or find_strong_sides(names)
    return None if front is None or back is None or front == back else (front, back)


def find_strong_sides(names: Sequence[str]) -> tuple[int | None, int | None]:
    """The places of front and back by names that mean nothing else, or have a part that does (`Term/Concept`,
    `word_phrase`, `English term`); None for a side that no such name tells.
    """
    return _find_strong_sides(tuple(names))


@lru_cache(maxsize=_KEPT)
def _find_strong_sides(names: tuple[str, ...]) -> tuple[int | None, int | None]:
    read = list(map(_read_bare, names))
    parts = [frozenset(_OR.split(name)) for name in read]
    front, back = _find(read, FRONT_NAMES), _find(read, BACK_NAMES)
    front = _find_part(parts, FRONT_NAMES) if front is None else front
    back = _find_part(parts, BACK_NAMES) if back is None else back
    front = _find_word(names, FRONT_NAMES) if front is None else front
    back = _find_word(names, BACK_NAMES, front) if back is None else back
    return front, back


def find_parts(names: Sequence[str]) -> tuple[int, int] | None:
    """The places of front and back by a word of their names, as in `meaning_text`; None where a side has none."""
    parts = [frozenset() if is_aside(name) else frozenset(_split(name)) for name in names]
    front, back = find_strong_sides(names)
    for known in (FRONT_NAMES, FAINT_FRONT_NAMES, KEYS):
        front = _find_part(parts, known) if front is None else front
    for known in (BACK_NAMES, FAINT_BACK_NAMES, TRANSLATION_NAMES):
        back = _find_part(parts, known) if back is None else back
    return None if front is None or back is None or front == back else (front, back)


def find_only_sides(names: Sequence[str]) -> tuple[int, int] | None:
    """The places of the back and of the only other name that is not of what goes with a card; None for others."""
    back = _find(list(map(read_name, names)), BACK_NAMES, FAINT_BACK_NAMES)
    others = [at for at, name in enumerate(names) if name.strip() and at != back and not is_aside(name)]
    return (others[0], back) if back is not None and len(others) == 1 and others[0] < back else None


def find_last_words(names: Sequence[str]) -> tuple[list[int], list[int]]:
    """The places of names whose last word means the front, and of those whose last word means the back; a language
    may be behind it (`definition_zh`).
    """
    last = [next((word for word in reversed(_split(name)) if word not in _LANGUAGES), "") for name in names]
    front, back = ([at for at, word in enumerate(last) if word in known] for known in (FRONT_NAMES, BACK_NAMES))
    return front, back


def _split(name: str) -> list[str]:
    """The words of a name, also of one that is joined as `definitionEn` or `us-def`."""
    return _BREAK.split(read_name(_JOINT.sub("_", name)))


def _find_word(names: Sequence[str], known: frozenset[str], front: int | None = None) -> int | None:
    """The place of the name that begins or ends with a known word, with others joined to it or a language beside it;
    of several, the one whose other words the name of the front has, too. None for none, and for choices.
    """
    found = {at: words for at, name in enumerate(names) if (words := _words_beside(name, known)) is not None}
    if any(len(word) == 1 or word.isdecimal() for words in found.values() for word in words):
        return None
    like = frozenset(_split(names[front])) if front is not None else frozenset()
    return min((at for at in found if at != front), key=lambda at: (not like & found[at], at), default=None)


def _words_beside(name: str, known: frozenset[str]) -> frozenset[str] | None:
    """The other words of a name that begins or ends with a known one; None for a name of another kind."""
    words = [word for word in _split(name) if word]
    rest = [word for word in words if word not in _LANGUAGES] or words or [""]
    is_joined = " " not in name.strip() or len(rest) == 1 < len(words) or known.issuperset(rest)
    if not (is_joined and 2 <= len(words) <= _MOST_WORDS) or rest[-1] in _NO_SIDE or rest[0] in _OF_OTHERS:
        return None
    told = (set(rest) if known.issuperset(rest) else {rest[0], rest[-1]}) & (known - _COMMON)
    return frozenset(words) - told if told else None


def _find_named_alike(names: Sequence[str], row: Sequence[str], back: int | None) -> int | None:
    """The place of the name that the name of the back has beside its own word, as `us` and `us-def`; None for none."""
    words = None if back is None else _words_beside(row[back], BACK_NAMES | FAINT_BACK_NAMES)
    return next((at for at, name in enumerate(names) if words == frozenset({name})), None)


def names_language(name: str) -> bool:
    """Whether a name is a language, or a language's word for the front (`English term`)."""
    words = _split(name)
    is_code = len(words[0]) < _FEWEST_LETTERS
    if words[0] not in _LANGUAGES or (is_code and name[:1].isupper()):
        return False
    return len(words) == 1 or (len(words) == 2 and words[1] in FRONT_NAMES)


def _are_pair(names: Sequence[str], places: Sequence[int]) -> bool:
    """Whether these names are two languages, and no further one is named but by what goes with a side, as
    `English example` or `pronunciation_ru`.
    """
    plain = [name for name in names if not is_aside(name) and _split(name)[0] not in ASIDES]
    found = [name for name in plain if not _LANGUAGES.isdisjoint(_split(name))]
    return len(found) == len(places) == 2 == len({_split(names[at])[0] for at in places})


def find_languages(name: str) -> frozenset[str]:
    """The languages in the name of a column that says more than these, as `DefinitionEn` does; English as `en`."""
    words = _split(name)
    found = _LANGUAGES.intersection(words) if len(words) > 1 else ()
    return frozenset(ENGLISH if word in _ENGLISH else word for word in found)


def mentions_language(cell: str) -> bool:
    """Whether a word of a cell is the name of a language."""
    return any(len(word) >= _FEWEST_LETTERS or not word.isascii() for word in _LANGUAGES.intersection(_split(cell)))


def is_front_name(cell: str) -> bool:
    """Whether a cell is a name that means nothing but the front."""
    return read_name(cell) in FRONT_NAMES


def is_back_name(cell: str) -> bool:
    """Whether a cell is a name of the back, or of a text that explains."""
    return read_name(cell) in BACK_NAMES | FAINT_BACK_NAMES


def is_faint_back_name(cell: str) -> bool:
    """Whether a cell is a name that may mean the back."""
    return read_name(cell) in FAINT_BACK_NAMES | TRANSLATION_NAMES


def is_aside(name: str) -> bool:
    """Whether a column is called what goes with a card, also behind another word, as `English example`."""
    read = read_name(name)
    return read in ASIDES or read.rpartition(" ")[2] in ASIDES


def names_side(cell: str) -> bool:
    """Whether a cell is the label of a side, as `Q:`."""
    return cell.rstrip().endswith(":") and read_name(cell) in _LABELS


def has_column_name(cell: str) -> bool:
    """Whether a word of a cell is one that names the side of a card."""
    return not _SIDES.isdisjoint(read_name(_JOINT.sub("_", cell)).split())


def is_column_name(cell: str) -> bool:
    """Whether a cell is the name of the side of a card, or of what goes with one, also with a number or brackets."""
    name = _NUMBERED.sub("", _NUMBERED.sub("", read_name(cell)))
    return not {name, *_OR.split(name)}.isdisjoint(_SIDES | ASIDES)


def find_fields(fields: Sequence[str]) -> tuple[int | None, int | None]:
    """The places of front and back among the fields of a note type; None for a side that no name tells.

    Unlike the first row of a table, fields are surely names, so `Medical term` and `Definition 2` are understood too.
    A faint name counts only beside a name of the other side.
    """
    names = list(map(read_name, fields))
    plain = [_NUMBERED.sub("", name) for name in names]
    last = [name.rpartition(" ")[2] if name.partition(" ")[0] not in _OTHER_WORDS else "" for name in plain]
    forms = (names, plain, [word if word in _LAST_WORDS else "" for word in last])
    front = next((place for form in forms if (place := _find(form, FRONT_NAMES)) is not None), None)
    back = next((place for form in forms if (place := _find(form, BACK_NAMES)) is not None), None)
    whole = (
        _find(names, FAINT_FRONT_NAMES, KEYS) if front is None else front,
        _find(names, FAINT_BACK_NAMES, TRANSLATION_NAMES) if back is None else back,
    )
    return (front, back) if None in whole else whole


def find_named(fields: Sequence[str], named: Named) -> tuple[int, int] | None:
    """The places of two named fields; None where the record has none of the pairs."""
    names = list(map(read_name, fields)) if named else []
    pairs = ((read_name(front), read_name(back)) for front, back in named)
    return next(((names.index(one), names.index(two)) for one, two in pairs if {one, two} <= set(names)), None)


def read_name(name: str) -> str:
    """The name as in the tables: normalised, with spaces for underscores, without a colon or star."""
    return words.normalise(name.replace("_", " ")).rstrip(":*. ")


def _read_bare(name: str) -> str:
    """The name as in the tables, without its namespace and language."""
    found = _IN_NAMESPACE.fullmatch(name.strip())
    return read_name(_JOINT.sub("_", found[1] if found else name))


def _find(names: Sequence[str], *known: Collection[str]) -> int | None:
    """The first place whose name is known, by the first collection that knows any."""
    return next((place for some in known for place, name in enumerate(names) if name in some), None)


def _find_part(parts: Sequence[frozenset[str]], known: frozenset[str]) -> int | None:
    """The first place of which a part of the name is known, as in `Term/Concept`."""
    return next((place for place, names in enumerate(parts) if names & known), None)
