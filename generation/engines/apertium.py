"""The rule-based translator Apertium, as Debian packages it: one result each way, for any number of pivot languages."""

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from data.console.errors import InputError
from data.texts.identity import files_digest
from generation.engines.protocols import Translation

THREE_LETTERS = {"en": "eng", "de": "deu", "es": "spa", "ca": "cat"}
"""Names of languages in Apertium's newer packages."""

INSTALL = "install Debian's apertium with packages such as apertium-eng-spa, apertium-eng-cat or apertium-eo-en"
_FILES = re.compile(r"/[\w./-]+")
_WORDS = re.compile(r"\w+")
_SHOUTED = re.compile(r"[A-Z]{2,}(?: [A-Z]{2,})+\b")
"""How Apertium writes several words for the one that begins a sentence: `BECAUSE OF its size`."""
_MARKED = re.compile(r"(?<!\w)[*@](\w+)")
"""A word that Apertium's dictionaries do not know: in the language it comes from (`*`), or goes to (`@`)."""


class Apertium:
    """Translates by way of one pivot language."""

    k = 1

    def __init__(self, pivot: str, language: str = "en") -> None:
        """`pivot`: a language's code, such as `es`. Raises InputError where Apertium has no modes for both ways."""
        known = directions()
        own, other = (_names(code) for code in (language, pivot))
        there = [mode for mode in known if mode in {f"{a}-{b}" for a in own for b in other}]
        back = [mode for mode in known if mode in {f"{b}-{a}" for a in own for b in other}]
        if not there or not back:
            pivots = {b for a, _, b in (mode.partition("-") for mode in known) if a in own and f"{b}-{a}" in known}
            raise InputError(
                f"--pivots {pivot}",
                expected=" or ".join(sorted(pivots)) or f"a language that Apertium translates {language} into and from",
                found="no such pair of translation directions",
                remedy=INSTALL,
            )
        self._there, self._back = there[0], back[0]
        self.name = f"apertium {self._there} {self._back} {files_digest(_files((self._there, self._back)))}"

    def there_and_back(self, texts: Sequence[str]) -> list[list[Translation]]:
        """One translation of each text; none where nothing comes back."""
        plain = [" ".join(text.split()) for text in texts]
        bodies = [text.removesuffix(".").rstrip() for text in plain]  # Apertium sets and drops the full stop of a line
        via = _translate(self._there, bodies)
        back, marked = _translate(self._back, via), _translate(self._back, via, marks=True)
        results = []
        for text, body, other, result, words in zip(plain, bodies, via, back, marked, strict=True):
            one = Translation(
                text=_clean(result, body) + text.removeprefix(body),
                via=other,
                score=None,
                rank_there=0,
                rank_back=0,
                untranslated=_untranslated(words, body),
            )
            results.append([one] if result else [])
        return results


def directions() -> list[str]:
    """The translation directions that are installed. Raises InputError where Apertium is not."""
    found = shutil.which("apertium")
    if found is None:
        raise InputError("apertium", expected="the translator Apertium", found="none installed", remedy=INSTALL)
    return _call([found, "-l"], "").stdout.split()


def _call(command: list[str], text: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False)  # noqa: S603 - no shell


def _files(modes: Sequence[str]) -> list[Path]:
    """The modes' files, and the dictionaries and rules that they name."""
    own = [path for mode in modes if (path := Path(f"/usr/share/apertium/modes/{mode}.mode")).is_file()]
    named = {Path(name) for path in own for name in _FILES.findall(path.read_text(encoding="utf-8"))}
    return [*own, *filter(Path.is_file, named)]


def _names(code: str) -> tuple[str, ...]:
    return (code, THREE_LETTERS[code]) if code in THREE_LETTERS else (code,)


def _translate(mode: str, lines: Sequence[str], *, marks: bool = False) -> list[str]:
    """Each line translated, in one call, since loading the dictionaries is most of its work; unknown words unmarked.

    A blank line separates two lines, since only there a sentence ends for Apertium: otherwise words move from one
    into the next. It breaks a text in two now and then (seen with Esperanto); such a text is sought by halves and
    joined again.
    """
    asked = [line for line in lines if line.strip()]
    call = [shutil.which("apertium") or "apertium", *([] if marks else ["-u"]), mode]
    done = _call(call, "".join(f"{line}\n\n" for line in asked))
    results = [" ".join(result.split()) for result in done.stdout.strip("\n").split("\n\n")] if asked else []
    if done.returncode:
        raise InputError(
            " ".join(call),
            expected=f"{len(asked)} texts",
            found=f"exit code {done.returncode} {done.stderr.strip()[:200]}".rstrip(),
            remedy="try another pivot",
        )
    if len(results) == len(asked):
        found = iter(results)
        return [next(found) if line.strip() else "" for line in lines]
    half = len(lines) // 2
    if not half:
        return [" ".join(results)]
    return _translate(mode, lines[:half], marks=marks) + _translate(mode, lines[half:], marks=marks)


def _untranslated(marked: str, source: str) -> tuple[str, ...]:
    """The unknown words that the source does not have.

    Names, acronyms and terms that the dictionaries lack come back as they went and do no harm.
    """
    own = set(_WORDS.findall(source.casefold()))
    return tuple(word for word in _MARKED.findall(marked) if word.casefold() not in own)


def _clean(result: str, source: str) -> str:
    """The result with single spaces, and with the source's capitals where only these differ."""
    text = " ".join(result.split())
    own = set(_WORDS.findall(source))

    def restore(word: re.Match[str]) -> str:
        lowered = word[0][0].lower() + word[0][1:]
        begins = word.start() == 0 and source[:1].islower()
        return lowered if word[0] not in own and (begins or lowered in own) else word[0]

    if (shouted := _SHOUTED.match(text)) and own.isdisjoint(shouted[0].split()):
        text = shouted[0].lower() + text.removeprefix(shouted[0])
    restored = _WORDS.sub(restore, text)
    return restored[:1].upper() + restored[1:] if source[:1].isupper() else restored
