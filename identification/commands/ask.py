"""The command `ask`: a language model behind an address -> its answers as scores of pairs."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from data.console.errors import Findings
from data.console.messages import quantity, say, say_next
from data.models.scorers import PREDICTIONS
from identification.endpoints.asking import Asking, ask, name_folder
from identification.training.pairs import OfPairs, require_splits
from identification.training.recording import ScoredBy, record_scores

STAGE = "identification.ask"
NOTHING_OPEN = "they are not asked again: outcomes.csv lists them, and another --prompt may do better"


@dataclass(frozen=True, kw_only=True)
class Arguments(OfPairs):
    """Ask a language model about pairs, each in both orders; its answers are kept and not asked for again."""

    asking: Asking
    out: Path | None = None
    """The folder of its answers, by default models/endpoint-NAME-PROMPT."""


def main(arguments: Arguments) -> None:
    """Ask about every pair; raise Findings where questions are without a yes or no."""
    arguments.require_one_kind()
    endpoint, prompt = arguments.asking.read()
    frame, dataset = arguments.read()
    require_splits(dataset)
    folder = arguments.out or Path("models") / name_folder(endpoint, prompt)
    asked = ask(frame, endpoint, prompt, arguments.asking.budget, folder)
    counts = ", ".join(f"{n:,} {name}" for name, n in asked.counts.items())
    asks = f"{2 * len(frame):,} questions about {quantity(len(frame), 'pair')}"
    say(f"{asks}, {quantity(asked.n_requests, 'request')}: {counts}")
    if asked.models:
        say(f"answered by {', '.join(asked.models)}")
    for loss in asked.losses:
        say(f"note: {loss}")
    say(f"answers, outcomes and predictions.csv written to {folder}")
    if dataset is not None and dataset.kind == "store":
        identity = {"asked": endpoint.identity | {"prompt": prompt.digest}, "outcomes": dict(asked.counts)}
        scores = asked.scored.set_index("pair_id")["score"]
        by = ScoredBy(name=arguments.asking.name, identity=identity)
        record_scores(dataset, arguments.label_set, by, scores, STAGE)
        say_next("python -m analysis.report", "--store", dataset.path, *arguments.label_set.flags)
    elif dataset is not None:
        predictions = "--predictions", folder / PREDICTIONS
        say_next("python -m analysis.baselines", *dataset.flags, *predictions, *arguments.label_set.flags)
    _require_answers(asked.counts)


def _require_answers(counts: Mapping[str, int]) -> None:
    """Raise Findings where questions ended without a yes or no."""
    n = sum(n for name, n in counts.items() if name not in ("yes", "no"))
    n_open = sum(counts.get(name, 0) for name in ("error", "not asked"))
    if n:
        following = f"run the same command again to ask the {n_open:,} that are open" if n_open else NOTHING_OPEN
        raise Findings(f"{quantity(n, 'question')} without an answer of one word; {following}")
