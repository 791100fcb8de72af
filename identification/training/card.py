"""The model card of an artefact: what was trained on what, what it reached on validation, and how to use it."""

from pathlib import Path

from data.files.whole import write_whole
from data.models.runs import name_run
from identification.training.artefact import Run

TEXT = """# {model}

Scores pairs of texts: P(paraphrase), 0 to 1. A pair counts as a paraphrase from {threshold:.4f} on, the threshold
{chosen} on validation. Each score is the mean of both orders of the two texts, at temperature {temperature:.3f}.

| validation, {n_validation:,} pairs | NLL | F1 | accuracy | ROC AUC |
|---|---|---|---|---|
| at 0.5 | {half[nll]:.4f} | {half[f1]:.3f} | {half[accuracy]:.3f} | {half[auc]:.3f} |
| at {threshold:.4f} | {best[nll]:.4f} | {best[f1]:.3f} | {best[accuracy]:.3f} | {best[auc]:.3f} |

Epoch, temperature and threshold were chosen on these pairs: the figures flatter. Judge the model on pairs that it has
not seen: `python -m analysis.baselines --predictions predictions.csv`.

{members}- outcome: {outcome}
- data: {origin}; {n_train:,} training pairs; digest {digest}
- recipe: {recipe}, seed {seed}, {labels} labels, epoch {best_epoch} of {n_epochs} by {select}
- {n_parameters:,} trained weights; {seconds:.0f} s of the processor, at most {memory:.0f} MiB
- asymmetry before the mean (mean difference of both orders): {asymmetry:.4f}
- the weights are safetensors; SHA-256 of the model's files: {sha256}

```
python -m identification predict THIS_FOLDER --file PAIRS.tsv
```
"""


BEST_F1 = "with the best F1"
"""How `train` chooses a threshold."""


def write_card(run: Run, path: Path, chosen: str = BEST_F1) -> None:
    """Write the card of the run; `chosen`: what is best at its threshold, as the end of "the threshold …"."""
    origin = run.data.get("path") or "a data set given in memory"
    scheme = run.data.get("scheme")
    members = zip(run.form.get("members", ()), run.settings.get("weights", ()), strict=True)
    content = TEXT.format(
        members="".join(
            f"- {weight:.3f} of the logit of {name_run(member['model'], member['seed'], 2)}, in {member['folder']}\n"
            for member, weight in members
        ),
        model=run.name,
        chosen=chosen,
        threshold=run.threshold,
        temperature=run.temperature,
        half=run.validation["at_half"],
        best=run.validation["at_threshold"],
        n_validation=run.data["n_validation"],
        n_train=run.data["n_train"],
        digest=run.data["digest"],
        origin=f"{Path(str(origin)).name}, split {scheme}" if scheme else origin,
        outcome=run.outcome,
        recipe=run.config["recipe"],
        seed=run.config["seed"],
        labels="soft" if run.settings.get("soft") else "hard",
        select=run.settings.get("select", "nothing: there is one solution"),
        best_epoch=run.best_epoch,
        n_epochs=len(run.history),
        n_parameters=run.n_parameters,
        seconds=run.seconds,
        memory=run.memory,
        asymmetry=run.asymmetry,
        sha256=run.digest,
    )
    write_whole(path, content)
