"""The names that people give the two sides of a card in the first row of a table."""

from collections.abc import Sequence

from data import words

FRONT_NAMES = frozenset(
    "|".join(
        (
            "front|front side|side 1|term|terms|question|word|concept|entity|name|key|prompt|expression|text|title",
            "acronym",
            "vorderseite|begriff|frage|wort|ausdruck|recto|terme|mot|question|notion",
            "anverso|término|termino|pregunta|palabra|concepto|fronte|termine|domanda|parola",
            "frente|termo|pergunta|palavra",
            "voorkant|begrip|vraag|woord|framsida|fråga|ord|forside|begrep|spørsmål|przód|pojęcie|pytanie|líc|pojem|otázka",
            "лицевая сторона|термин|вопрос|слово|ön yüz|terim|soru",
            "正面|术语|術語|问题|問題|词|表|用語|質問|単語|앞면|용어|질문|단어",
        )
    ).split("|")
)
"""Lower-case names of the side that asks or names: English, German, French, Spanish, Italian, Portuguese,
Dutch, Swedish, Norwegian, Polish, Czech, Russian, Turkish, Chinese, Japanese, Korean."""

BACK_NAMES = frozenset(
    "|".join(
        (
            "back|back side|side 2|definition|definitions|answer|meaning|description|explanation|value|response|extra",
            "back extra|translation",
            "rückseite|definition|antwort|bedeutung|erklärung|beschreibung|verso|définition|réponse|signification|explication",
            "reverso|dorso|definición|definicion|respuesta|significado|retro|definizione|risposta|significato",
            "verso|definição|resposta",
            "achterkant|definitie|antwoord|betekenis|baksida|svar|bakside|definisjon|tył|definicja|odpowiedź|rub|definice|odpověď",
            "обратная сторона|определение|ответ|значение|arka yüz|tanım|cevap",
            "背面|反面|定义|定義|答案|释义|裏|意味|答え|뒷면|정의|답변|뜻",
        )
    ).split("|")
)
"""Lower-case names of the side that answers or explains, in the same languages."""


def find_sides(first_row: Sequence[str]) -> tuple[int, int] | None:
    """The columns of front and back where the row names both; None where it is not a header."""
    names = [words.normalise(field).rstrip(":") for field in first_row]
    fronts = [column for column, name in enumerate(names) if name in FRONT_NAMES]
    backs = [column for column, name in enumerate(names) if name in BACK_NAMES]
    return (fronts[0], backs[0]) if fronts and backs else None
