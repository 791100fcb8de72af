"""What an attack costs beside the naive search: `python -m benchmarks.robustness RUN --mlm FOLDER --dataset DIR`.

The naive search, as in the code that Shi and Huang released, asks the model about one pair at a time and the masked
language model about one context at a time, padded to its full length, and keeps nothing. Both modify the same originals
in float32 on one thread, in turns; both must come to the same pairs. Printed: processor seconds per original, and the
process's peak of memory.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from data.console.commands import require_at_least, run
from data.console.errors import Findings
from data.console.marks import Positional
from data.console.messages import progress, say
from data.labelled.label_set import LabelSet
from data.labelled.sources import open_dataset
from identification.architectures.masked import MAX_TOKENS, MaskedModel
from identification.config import AttackConfig, Machine
from identification.robustness.attacking import Attacker, AttackPlan
from identification.robustness.proposals import Context, Proposer
from identification.robustness.sampling import sample
from identification.robustness.search import WordProposal
from identification.robustness.targets import AttackedModel, open_target, silent
from identification.robustness.texts import list_words
from identification.training.artefact import open_model, score_pairs


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Time an attack beside the naive search at the same result."""

    run: Positional[str]
    """The model: a folder that `identification train` wrote."""
    mlm: str
    """The masked language model."""
    dataset: Path
    """The data set."""
    originals: int = 5
    """Originals of each label."""
    words: int = 10
    """K."""
    beam: int = 5
    """B."""
    seed: int = 1
    """The seed of the originals."""


class NaiveModel:
    """The masked language model asked about one context at a time, padded to the full length, with all its logits."""

    def __init__(self, model: MaskedModel) -> None:
        self.words, self._model = model.words, model

    def weigh(self, contexts: Sequence[Context]) -> NDArray[np.float32]:
        """As `MaskedModel.weigh`."""
        return np.stack([self._weigh(context) for context in contexts])

    def _weigh(self, context: Context) -> NDArray[np.float32]:
        model = self._model
        ids, place = model.encode(context)
        padded = torch.tensor([ids + [model.tokenizer.pad_token_id] * (MAX_TOKENS - len(ids))])
        mask = (torch.arange(MAX_TOKENS) < len(ids)).long()[None]
        with torch.inference_mode():
            logits = model.model(input_ids=padded, attention_mask=mask).logits
        weights: NDArray[np.float32] = torch.log_softmax(logits[0], dim=-1)[place][model.ids].numpy()
        return weights


class NaiveProposer(Proposer):
    """Keeps no distribution from one slot to the next."""

    def propose(self, proposals: Sequence[WordProposal]) -> list[list[list[str]]]:
        """As `Proposer.propose`, each slot by itself."""
        answers = []
        for proposal in proposals:
            answer = []
            for place in proposal.places:
                self._known.clear()
                answer += super().propose([replace(proposal, places=[place])])[0]
            answers.append(answer)
        return answers


def make_naive(attacker: Attacker, plan: AttackPlan) -> Attacker:
    """The same attack by the model as transformers runs it, without batches and without memory."""
    target, proposer = attacker.target, attacker.proposer
    opened = open_model(Path(plan.target))

    def score(first: Sequence[str], second: Sequence[str]) -> NDArray[np.float64]:
        texts = zip(first, second, strict=True)
        return np.array([score_pairs(opened, ([a], [b]), plan.machine, silent).scores[0] for a, b in texts])

    assert isinstance(proposer.model, MaskedModel)
    naive = NaiveProposer(model=NaiveModel(proposer.model), guards=proposer.guards, window=proposer.window)
    return replace(attacker, target=replace(target, score=score, rough=None), proposer=naive)


def main(arguments: Arguments) -> None:
    """Print both costs and their ratio; raise Findings where the two come to different pairs."""
    require_at_least("--originals", arguments.originals, 1)
    torch.set_num_threads(1)
    pairs = open_dataset(arguments.dataset, LabelSet())
    originals = sample(pairs, "test", arguments.originals, arguments.seed).to_dict("records")
    texts = [str(text) for side in ("first", "second") for text in pairs.frame[side]]
    plan = AttackPlan(
        target=arguments.run,
        mlm=arguments.mlm,
        language=pairs.language.code,
        words=list_words(texts, pairs.language, {"plain"}),
        config=AttackConfig(
            words=arguments.words, beam=arguments.beam, places=arguments.words, guards=("plain",), refine=False
        ),
        machine=Machine(precision="float32", threads=1),
    )
    with open_target(plan.target, plan.machine, plan.asking, Path()) as target:
        _compare(plan, target, originals)


def _compare(plan: AttackPlan, target: AttackedModel, originals: list[Any]) -> None:
    attacker = Attacker.open(plan, target)
    attacker.attack(originals[:1])  # what is loaded at the first use counts for neither
    started = time.process_time()
    batched = attacker.attack(originals)
    seconds = time.process_time() - started
    memory = getrusage(RUSAGE_SELF).ru_maxrss / 1024
    naive = make_naive(attacker, plan)
    started = time.process_time()
    singly = [row for original in progress(originals, label="naive") for row in naive.attack([original])]
    slow, n = time.process_time() - started, len(originals)
    queries = sum(row["queries"] for row in batched) / n
    say(f"{n} originals, {queries:.0f} queries each, K {plan.config.words}, B {plan.config.beam}")
    say(f"batched {seconds / n:.2f} s each, naive {slow / n:.2f} s each: {slow / seconds:.1f} times")
    say(f"peak of memory before the naive search: {memory:.0f} MiB")
    different = [a["original_id"] for a, b in zip(batched, singly, strict=True) if a["edits"] != b["edits"]]
    if different:
        raise Findings(f"{len(different)} of {len(originals)} originals have other edits in the two searches")


if __name__ == "__main__":
    run(main, prog="python -m benchmarks.robustness")
