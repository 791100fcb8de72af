"""A data set asked of a language model: answers, scores and what they cost, in a folder like a trained model's."""

import json
import resource
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from data.console.commands import require_at_least
from data.console.errors import InputError
from data.console.marks import Advanced, Limit, Positional
from data.console.messages import quantity
from data.files.sheets import read_delimited
from data.files.whole import write_whole
from data.models.runs import ENDPOINT, ModelName
from data.models.scorers import PREDICTIONS, RUN
from identification.endpoints.answer import AnswerWords
from identification.endpoints.answers import ReplyCache, identify
from identification.endpoints.client import Budget, Connection, Endpoint
from identification.endpoints.forms import Form
from identification.endpoints.prompt import Prompt, read_prompt
from identification.endpoints.scoring import score_pairs, summarise

FORMAT = "parade-endpoint/1"
ANSWERS, OUTCOMES = "answers.sqlite", "outcomes.csv"
ERRORS = 3
"""Different errors that are shown; all are in the file of outcomes."""
THRESHOLD = 0.5


@dataclass(frozen=True, kw_only=True)
class Asking:
    """Which language model is asked, and how."""

    model: Positional[str]
    """The model, by the name that its server gives it."""
    prompt: Path
    """A file with the question, which holds {first} and {second}; it is part of the model."""
    url: str = "http://127.0.0.1:8000/v1"
    """The address of an OpenAI-compatible server up to its version; its key comes from OPENAI_API_KEY alone."""
    yes: Advanced[str] = "yes"
    """The word that answers "paraphrase"."""
    no: Advanced[str] = "no"
    """The word that answers "no paraphrase"."""
    max_answer_tokens: Advanced[int] = 5
    """Most tokens of an answer; a model that thinks before it answers needs many more, such as 4000."""
    timeout: Advanced[float] = 60.0
    """Seconds for an attempt."""
    attempts: Limit[int] = 5
    """Attempts for a question while the server is busy."""
    concurrency: Advanced[int] = 4
    """Questions asked at once."""
    max_requests: Limit[int | None] = None
    """Most requests of this run."""
    max_tokens: Limit[int | None] = None
    """Tokens, earlier runs included, from which on nothing more is asked."""

    def __post_init__(self) -> None:
        """Raise InputError for a value outside its range."""
        if not self.model:
            raise InputError("MODEL", expected="the model's name", found="none", remedy="give it")
        for name in ("max_answer_tokens", "attempts", "concurrency", "max_requests", "max_tokens"):
            require_at_least("--" + name.replace("_", "-"), getattr(self, name), 1)
        if not self.timeout > 0:
            raise InputError("--timeout", expected="above 0", found=str(self.timeout), remedy="try 60")
        if self.yes.casefold() == self.no.casefold() or not (self.yes.strip() and self.no.strip()):
            raise InputError(
                "--yes, --no", expected="two words", found=f"{self.yes!r}, {self.no!r}", remedy="see --help"
            )

    @property
    def name(self) -> str:
        """What the tables call it."""
        return str(ModelName((self.model,), ENDPOINT))

    def read(self) -> tuple[Endpoint, Prompt]:
        """The endpoint and the prompt; raises InputError where the file is none."""
        endpoint = Endpoint(
            url=self.url,
            model=self.model,
            words=AnswerWords(self.yes, self.no),
            max_tokens=self.max_answer_tokens,
            seconds=self.timeout,
            attempts=self.attempts,
        )
        return endpoint, read_prompt(self.prompt)

    @property
    def budget(self) -> Budget:
        """What the run may cost."""
        return Budget(max_requests=self.max_requests, max_tokens=self.max_tokens, concurrency=self.concurrency)


@dataclass(frozen=True, kw_only=True)
class ModelAnswers:
    """What came of it."""

    scored: pd.DataFrame
    """pair_id, score (null: none), outcome, outcome_flipped, error; in the order of the pairs."""
    counts: Mapping[str, int]
    """Questions by outcome."""
    n_requests: int
    """Requests of this run."""
    models: tuple[str, ...] = field(default=())
    """By what names the server called the models that answered."""
    losses: tuple[str, ...] = field(default=())
    """What the answers lack, in words."""


def name_folder(endpoint: Endpoint, prompt: Prompt) -> str:
    """A folder's name for this model and prompt."""
    plain = "".join(char if char.isalnum() or char in "._-" else "-" for char in endpoint.model).strip("-.")
    return f"endpoint-{plain}-{identify(endpoint, prompt)[:8]}"


def ask(frame: pd.DataFrame, endpoint: Endpoint, prompt: Prompt, budget: Budget, folder: Path) -> ModelAnswers:
    """Ask about every pair of `frame` (pair_id, first, second) in both orders, and write the folder.

    answers.sqlite: every answer, which is never asked for again; outcomes.csv: what became of each pair that was ever
    asked about; predictions.csv: the scores of the rows of `frame`; run.json: model, prompt, cost.
    """
    started, cpu = time.perf_counter(), time.process_time()
    with Connection(endpoint, budget) as connection, ReplyCache(folder / ANSWERS, endpoint, prompt) as answers:
        scored = score_pairs(frame, prompt, connection, answers)
        kept = answers.read().values()
        form, models = answers.form, tuple(sorted({answer.model for answer in kept if answer.model}))
        tokens = sum(answer.tokens for answer in kept)
    scored.insert(0, "pair_id", frame["pair_id"])
    asked = ModelAnswers(
        scored=scored,
        counts=summarise(scored),
        n_requests=connection.n_requests,
        models=models,
        losses=tuple(_list_losses(form, scored)),
    )
    write_whole(folder / OUTCOMES, _add_known(scored, folder / OUTCOMES).to_csv(index=False))
    write_whole(folder / PREDICTIONS, scored[["pair_id", "score"]].dropna().to_csv(index=False))
    facts: dict[str, Any] = {
        "format": FORMAT,
        "model": str(ModelName((endpoint.model,), ENDPOINT)),
        "config": endpoint.identity | {"seed": 0, "prompt": prompt.template, "prompt_digest": prompt.digest},
        "threshold": THRESHOLD,
        "form": asdict(form),
        "outcomes": dict(asked.counts),
        "answered_as": list(models),
        "tokens": tokens,
        "seconds": time.process_time() - cpu,
        "wall_seconds": time.perf_counter() - started,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    write_whole(folder / RUN, json.dumps(facts, indent=1, ensure_ascii=False, allow_nan=False) + "\n")
    return asked


def _list_losses(form: Form, scored: pd.DataFrame) -> list[str]:
    """What the answers lack, in words: what the server refused to give, and what it left out without a word."""
    losses, scores, errors = form.losses(), scored["score"].dropna(), scored["error"].value_counts()
    losses += [f"{quantity(n, 'pair')} with an error: {text}" for text, n in errors.head(ERRORS).items()]
    if len(errors) > ERRORS:
        losses.append(f"{quantity(errors[ERRORS:].sum(), 'pair')} with other errors: see {OUTCOMES}")
    if form.top and len(scores) and scores.isin([0, 0.5, 1]).all():
        losses.append("every answer's score is 1 or 0: no log-probability of the other word came")
    return losses


def _add_known(scored: pd.DataFrame, path: Path) -> pd.DataFrame:
    """The rows of the file about other pairs, then these."""
    if not path.is_file():
        return scored
    what, remedy = "what became of each pair", "remove the file"
    known = read_delimited(path, what, remedy).replace("", None)
    if not set(scored) <= set(known):
        raise InputError(path, expected=what, found=", ".join(map(str, known))[:120], remedy=remedy)
    return pd.concat([known[~known["pair_id"].isin(scored["pair_id"])], scored], ignore_index=True)
