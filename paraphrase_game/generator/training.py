"""Train the generator on pairs, or on what it writes itself, by what the judges would pay; resumable per epoch."""

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from data.console.errors import InputError
from data.console.messages import progress
from data.files.values import read_json
from data.files.whole import whole_folder, write_whole
from data.texts.identity import digest
from paraphrase_game.config import GeneratorRule
from paraphrase_game.game.schedule import rounds
from paraphrase_game.generator.model import Generator, open_generator

STATE = "training.json"
Loss = Literal["paper", "weighted"]
Judge = Callable[[Sequence[str], Sequence[str]], Sequence[dict[str, Any]]]


def train(
    pairs: list[tuple[str, str]], rule: GeneratorRule, judge: Judge, judges_sha256: str, folder: Path
) -> list[dict[str, float]]:
    """Train on (sentence, target) pairs; return loss and mean reward of each epoch.

    After each epoch the model lies whole in `folder/epoch-N`; a run of the same rule, pairs and judges goes on after
    the last of them, with fresh moments of the optimiser. Raises InputError where the folder holds another run.
    """
    settings = asdict(rule) | {"pairs": digest("pairs", *chain.from_iterable(pairs)), "judges": judges_sha256}
    done, history = _resume(folder, settings)
    generator = open_generator(str(folder / f"epoch-{done}") if done else rule.model)
    optimiser = torch.optim.AdamW(generator.model.parameters(), lr=rule.learning_rate, eps=1e-8, fused=True)
    for epoch in range(done + 1, rule.epochs + 1):
        torch.manual_seed(int(digest("dropout", rule.seed, epoch)[:8], 16))
        order = np.random.default_rng([rule.seed, epoch]).permutation(len(pairs))
        starts = range(0, len(pairs), rule.batch_size)
        losses, earned = [], []
        for start in progress(starts, label=f"epoch {epoch}", unit="steps", total=len(starts)):
            batch = [pairs[place] for place in order[start : start + rule.batch_size]]
            loss, rewards = _step(generator, optimiser, batch, rule, judge)
            losses.append(loss)
            earned += rewards
        history.append({"epoch": epoch, "loss": float(np.mean(losses)), "reward": float(np.mean(earned))})
        place = folder / f"epoch-{epoch}"
        shutil.rmtree(place, ignore_errors=True)  # a run was killed before it noted this epoch
        with whole_folder(place) as unfinished:
            generator.save(unfinished)
        state = {"settings": settings, "history": history}
        write_whole(folder / STATE, json.dumps(state, indent=1) + "\n")
    return history


def _step(
    generator: Generator, optimiser: Any, batch: list[tuple[str, str]], rule: GeneratorRule, judge: Judge
) -> tuple[float, list[float]]:
    """One step; its loss and the rewards, from 0 to 1, of what it was weighed by."""
    sentences, targets = (list(side) for side in zip(*batch, strict=True))
    if rule.reward_on == "sample":
        seed = int(optimiser.state_dict()["state"].get(0, {}).get("step", 0)) + rule.seed
        samples = [texts[0] or "." for texts in generator.write(sentences, rounds(1)[0], seed, 1)]
        rewards = _rewards(judge, sentences, samples, rule)
        targets = samples if rule.loss == "weighted" else targets
    else:
        rewards = _rewards(judge, sentences, targets, rule)
    generator.model.train()
    loss = weigh(generator.cross_entropies(sentences, targets), torch.tensor(rewards), rule.loss)
    optimiser.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    optimiser.step()
    return loss.item(), rewards


def _rewards(judge: Judge, sentences: list[str], texts: list[str], rule: GeneratorRule) -> list[float]:
    return [answer["reward"] / rule.highest for answer in judge(sentences, texts)]


def _resume(folder: Path, settings: dict[str, Any]) -> tuple[int, list[dict[str, float]]]:
    """The number of epochs that the folder holds, and their history."""
    if not (folder / STATE).is_file():
        begun = {"epoch-1"}  # a run that was killed before it noted its first epoch
        if folder.is_dir() and {path.name for path in folder.iterdir() if not path.name.startswith(".")} - begun:
            raise InputError(
                folder, expected="a new folder, or one with this run", found="other files", remedy="name another --out"
            )
        return 0, []
    state = read_json(folder / STATE, "the state of a training", "name another --out")
    try:
        earlier, history = {**state["settings"]}, [*state["history"]]
    except (KeyError, TypeError) as fault:
        raise InputError(
            folder / STATE, expected="the state of a training", found="another value", remedy="name another --out"
        ) from fault
    if earlier | {"epochs": settings["epochs"]} != settings:
        raise InputError(
            folder,
            expected="a run of the same settings, pairs and judges",
            found="another one",
            remedy="name another --out",
        )
    return len(history), history


def weigh(cross_entropies: Tensor, rewards: Tensor, loss: Loss) -> Tensor:
    """The loss of a batch, from each target's mean cross entropy and reward [batch].

    `paper`: the mean cross entropy divided by the batch's total reward R where R >= 1. R does not depend on the
    weights, so this is the plain loss with another learning rate per batch, lower where the reward is high: it cannot
    push towards the reward (train.py:112-117 of the released code). `weighted`, ours: each target counts by its
    reward above the batch's mean, so that what pays better than usual becomes likelier, and nothing is unlearned.
    """
    if loss == "paper":
        total = rewards.sum()
        mean = cross_entropies.mean()
        return mean / total if total >= 1 else mean
    weights = torch.relu(rewards - rewards.mean())
    if not bool(weights.sum() > 0):
        return cross_entropies.sum() * 0.0
    return (cross_entropies * weights).sum() / weights.sum()
