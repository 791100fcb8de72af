"""German: stop words and stems are Snowball's, lemmas are simplemma's for words whose case is lost."""

import re
from functools import cache, lru_cache
from typing import Any

import simplemma

from data.texts.languages.base import Language

_STOP_WORDS = """
    aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes anderm andern anderr
    anders auch auf aus bei bin bis bist da damit dann das dasselbe dazu daß dass dein deine deinem deinen deiner deines
    dem demselben den denn denselben der derer derselbe derselben des desselben dessen dich die dies diese dieselbe
    dieselben diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines einig einige einigem
    einigen einiger einiges einmal er es etwas euch euer eure eurem euren eurer eures für gegen gewesen hab habe haben
    hat hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer ihres im in indem ins ist jede jedem
    jeden jeder jedes jene jenem jenen jener jenes jetzt kann kein keine keinem keinen keiner keines können könnte
    machen man manche manchem manchen mancher manches mein meine meinem meinen meiner meines mich mir mit muss musste
    nach nicht nichts noch nun nur ob oder ohne sehr sein seine seinem seinen seiner seines selbst sich sie sind so
    solche solchem solchen solcher solches soll sollte sondern sonst um und uns unser unsere unserem unseren unserer
    unseres unter viel vom von vor war waren warst was weg weil weiter welche welchem welchen welcher welches wenn
    werde werden wie wieder will wir wird wirst wo wollen wollte während würde würden zu zum zur zwar zwischen über
"""
STOP_WORDS: frozenset[str] = frozenset(_STOP_WORDS.split())

_WEAK_WORDS = """
    ab abgesehen allerdings allgemein anhand anschließend anstatt aufgrund ausgehend ausschließlich außer außerdem
    außerhalb basierend beide beiden beider beides beim beispielsweise bereits besonders besser bestimmte bezüglich
    bisher bzw circa dabei dadurch dafür dagegen daher dahin damals danach daneben daran darauf daraus darf darin
    darüber darum davon davor demnach dennoch deren deshalb desto deswegen deutlich diejenigen dreimal drei dritte
    dritten dürfen ebenfalls ebenso eher eigene eigenen eigentlich einander einerseits einfach einschließlich entlang
    entsprechend entsprechende entsprechenden entweder erneut erst erste ersten erster erstes etc etwa falls fast fünf
    ferner folgende folgenden folgender folgendes folglich gab ganz ganze ganzen gar gegenüber gehen geht gemäß genau
    gerade gibt gilt gleichzeitig gut hatten hauptsächlich hierbei hierfür hierzu hingegen hinsichtlich hinaus immer
    infolge innerhalb insbesondere insgesamt inwieweit jedoch je jegliche jemand kaum konnte konnten lassen laut
    lediglich lässt letzte letzten liegt liegen mal mehr mehrere mehreren mehrerer meist meisten meistens mindestens
    mittels möglich möglichst müssen nachdem nahezu namens neben nämlich nie niemals niemand oben obwohl oft per
    pro rund sämtliche sechs seit seitdem selten seien sei sieben sobald sodass sofern sogar solange somit sowie
    sowohl statt stets teilweise trotz trotzdem überhaupt übrigen umso ungefähr usw vgl viele vielen vieler vier
    vollständig voneinander vorbehaltlich vorher vorliegende vorliegenden vorwiegend wann warum wegen weitere weiteren
    weiterer weiteres weiterhin wem wen wenig wenige wenigen weniger wenigstens wer wes wessen weshalb wobei wodurch
    wofür woher wohin wohl womit woran worauf woraus worin wurde wurden zehn ziemlich zudem zufolge zumindest zunächst
    zusammen zusätzlich zwei zweite zweiten zweiter
"""
EDGE_WORDS = STOP_WORDS | frozenset(_WEAK_WORDS.split())

_ABBREVIATIONS = """
    abb abk abs abschn aufl bd bsp bspw buchst bzgl bzw ca ders dgl dr einschl engl entspr etc evtl exkl ff gem ggf ggü
    hrsg inkl insb insbes jh kap lat max mind mio mrd nr pl prof sg sog st std str tab tel usf usw vgl vs zit zzgl
"""
ABBREVIATIONS: frozenset[str] = frozenset(_ABBREVIATIONS.split())

_ASKS = (
    r"was (?:ist|sind|heißt|bedeutet|bedeuten|meint|bezeichnet(?: man als)?|verst(?:eht man|ehen sie) unter)"
    r"|(?:definieren|erklären|erläutern|beschreiben|nennen) sie|definiere|definition(?: von)?|erkläre|erläutere"
    r"|beschreibe|begriff"
)
_ARTICLES = r"(?:der|die|das|den|dem|des|ein|eine|einen|einem|einer|eines)\s+"

_ENDINGS = re.compile(r"e[mnrs]?$")


@cache
def _stemmer() -> Any:
    from nltk.stem.snowball import GermanStemmer  # NLTK imports all of SciPy: wait for it only where needed

    return GermanStemmer()


@lru_cache(maxsize=1_000_000)
def stem(word: str) -> str:
    """The Snowball stem of a word."""
    stemmed: str = _stemmer().stem(word)
    return stemmed


@lru_cache(maxsize=1_000_000)
def lemma(word: str) -> str:
    """The lemma of a lower-case word, in lower case: as an adjective, a noun or a verb, in this order.

    Lower case hides which words are nouns, so simplemma is asked for both spellings. Participles lose their ending
    only (`verminderte` and `vermindertes` are `vermindert`; simplemma says so of one of them).
    """
    if not any(map(str.isalpha, word)):
        return word
    plain = simplemma.lemmatize(word, lang="de")
    if plain[:1].isupper():
        return plain.lower()
    bare = _ENDINGS.sub("", word)
    if bare != word and (bare == plain or (bare.endswith("t") and len(bare) > 4 and plain.endswith("n"))):
        return bare
    noun = simplemma.lemmatize(word.capitalize(), lang="de")
    return (noun if noun[:1].isupper() else plain).lower()


LANGUAGE = Language(
    code="de",
    name="German",
    stop_words=STOP_WORDS,
    edge_words=EDGE_WORDS,
    abbreviations=ABBREVIATIONS,
    negations=frozenset(["kein", "keine", "keinem", "keinen", "keiner", "keines", "nicht", "nie", "niemals", "ohne"]),
    question=re.compile(rf"^(?:(?:{_ASKS})[\s:]+(?:(?:dem|den|der|die) begriff(?:en?)?\s+)?)?(?:{_ARTICLES})?(?=\S)"),
    lemma=lemma,
    headword=lemma,
    capitals_show_names=False,
    stem=stem,
)
