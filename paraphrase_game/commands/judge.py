"""The command `judge`: the released labels and scores -> small judges, trained on this machine."""

from dataclasses import asdict, dataclass, field
from pathlib import Path

from data.console.errors import InputError
from data.console.messages import progress, say, say_next
from data.console.optional_packages import require_models
from data.models.pretrained import PACKAGED
from paraphrase_game.config import TrainingRule
from paraphrase_game.judges.released import TEST, read_attempts, read_log, read_split


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Train stand-ins for the entailment and the similarity model: to try the game with, not to pay people by."""

    dataset: Path
    """The folder of the released human attempts (ap_h_final_checks.tsv.gz, ap_h_test.tsv.gz)."""
    machine: Path | None = None
    """The folder `nap` of the authors' repository, with their machine's attempts; without it the judges learn less."""
    out: Path = Path("models/judges")
    """The judges' folders go below this one, which is new."""
    encoder: str = PACKAGED
    """The model to begin from: `minilm`, a folder, or a name of transformers."""
    rule: TrainingRule = field(default_factory=TrainingRule)


def main(arguments: Arguments) -> None:
    """Write the folders `entailment` and `similarity`, and say how far they agree with the real models."""
    require_models("judge")
    if arguments.out.exists() and any(arguments.out.iterdir()):
        raise InputError("--out", expected="a new folder", found=str(arguments.out), remedy="name another one")
    log, test = read_log(arguments.dataset), set(read_split(arguments.dataset, TEST)["text_a"])
    rows = log.rename(columns={"sentence": "first", "candidate": "second"})[["first", "second", "mi", "bleurt"]]
    held_out = rows["first"].isin(test)
    machine = rows[:0]
    if arguments.machine:
        machine = read_attempts(arguments.machine)
        machine = machine[~machine["first"].isin(test)]
    from paraphrase_game.judges.alignment import AlignmentScorer
    from paraphrase_game.judges.stand_ins import Trained, assess, write
    from paraphrase_game.judges.training import sample_machine, train

    chosen = sample_machine(machine, arguments.rule.machine_pairs, arguments.rule.seed)
    say(f"{int((~held_out).sum()):,} human and {len(chosen):,} machine attempts to learn from")
    learned, unseen = rows[~held_out], rows[held_out].reset_index(drop=True)
    alignment = AlignmentScorer(arguments.encoder, {})
    alignment.fit(learned["first"].tolist(), learned["second"].tolist(), learned["bleurt"].to_numpy(float), progress)
    model, tokenizer = train(learned, chosen, arguments.rule, arguments.encoder, progress)
    judges = Trained(model=model, tokenizer=tokenizer, alignment=alignment)
    agreement = assess(judges, unseen, arguments.rule.seed, progress)
    write(judges, arguments.out, _card(arguments, len(chosen), len(learned)), agreement)
    for name, (value, low, high) in agreement.measures.items():
        say(f"{name} {value:.3f} ({low:.3f} to {high:.3f})")
    say(f"on {agreement.n:,} attempts at {agreement.n_sources:,} sentences that they have not learned from")
    say(f"judges written to {arguments.out}")
    flags = ("--entailment", arguments.out / "entailment", "--similarity", arguments.out / "similarity")
    say_next("python -m paraphrase_game serve --practice", *flags)


def _card(arguments: Arguments, n_machine: int, n_human: int) -> dict[str, object]:
    return {
        "encoder": arguments.encoder,
        "n_human": n_human,
        "n_machine": n_machine,
        "rule": asdict(arguments.rule),
    }
