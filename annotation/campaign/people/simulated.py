"""A simulated campaign: who may be simulated, the pairs' true scores, and the answer to every assignment."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from annotation.campaign import accounts
from annotation.campaign.accounts import Account
from annotation.campaign.campaign import Campaign
from annotation.campaign.progress.judging import hold_generated
from annotation.simulation import behaviour
from annotation.simulation.answering import latent_classes
from annotation.simulation.behaviour import Profile
from annotation.simulation.noise import keyed_uniform, spread_ease
from annotation.simulation.truth import LATENT_STEPS, graded_overlap, latent_truth, read_truth
from data.console.errors import InputError
from data.contract.tables.campaign import Annotators, SimulatedTruth
from data.contract.tables.pairs import Pairs
from data.contract.vocabulary import SIMULATED
from data.storage.manifest import Manifest, plain
from data.storage.stage import Made, run_stage


def simulated_accounts(campaign: Campaign) -> list[Account]:
    """The accounts with assignments, by name. Raises InputError where one could be a person's."""
    names, roles = set(campaign.assignments["annotator"]), campaign.annotators["role"]
    registered = accounts.read_accounts(campaign.store.root, campaign.study)
    workers = [account for account in registered if account.annotator in names]
    people = {account.annotator for account in workers if not account.email.endswith(accounts.NOBODYS_ADDRESS)}
    if not campaign.ratings.empty:
        people |= {account.annotator for account in workers if roles[account.annotator] != SIMULATED}
    if people:
        raise InputError(
            f"campaign {campaign.name}",
            expected="annotators who are no people (plan --annotators NUMBER, or addresses at *.parade.invalid), "
            "without ratings of their own",
            found="people: " + ", ".join(sorted(people)),
            remedy="plan a campaign of its own for the simulation (--campaign NAME)",
        )
    return workers


def write_truth(
    campaign: Campaign, profiles: Mapping[str, Profile], file: Path | None, seed: int, unequal: float = 0.0
) -> "pd.Series[int]":
    """The places of the pairs' true answers by pair id; first marks the annotators as simulated.

    Writes the answers to simulated_truth: a file's, or latent ones where it is None. Raises InputError where the
    campaign was simulated before with other profiles, truth, seed or spread of the pairs' ease (`unequal`).
    """
    pairs, classes = _read_pairs(campaign), latent_classes(campaign.question)
    truth = latent_truth(pairs, seed, classes) if file is None else read_truth(file, pairs, classes)
    annotators = {name: {"profile": profile.name, "confusion": profile.confusion} for name, profile in profiles.items()}
    manifest = Manifest(
        stage="annotation.simulate",
        part=campaign.name,
        config={
            "campaign": campaign.name,
            "truth": "latent" if file is None else str(file),
            "annotators": annotators,
            **({"unequal": unequal} if unequal else {}),
        },
        seed=seed,
        inputs=campaign.store.inputs(Pairs),
        counts={"pairs": len(truth)},
    )
    numbers = truth.map(dict(enumerate(classes.numbers))).astype("int64")
    with campaign.store.lock(campaign.lock):
        _require_same(campaign, manifest, numbers)
        _mark(campaign, list(profiles), manifest)
        rows = pd.DataFrame({"pair_id": truth.index, "score": numbers.to_numpy()})
        run_stage(campaign.store, SimulatedTruth, manifest, lambda: Made(rows=rows), campaign=campaign.name)
    return truth


def script(
    campaign: Campaign, profiles: Mapping[str, Profile], truth: "pd.Series[int]", seed: int, unequal: float = 0.0
) -> dict[str, tuple[int, float]]:
    """Assignment id -> the place of the answer it will be given, and the seconds this supposedly takes.

    `unequal`: how far the ease of pairs spreads, which is drawn for each pair, the same for all annotators.
    """
    rows, pairs, classes = campaign.assignments, _read_pairs(campaign), latent_classes(campaign.question)
    deserved = rows["pair_id"].map(truth).where((rows["kind"] != "trap").astype("bool"), 0).astype("int64")
    suggested = dict(
        zip(pairs["pair_id"], graded_overlap(pairs["overlap"].fillna(0).to_numpy("float64"), classes), strict=True)
    )
    last = rows.groupby(["annotator", "round"])["position"].transform("max")
    rows = rows.assign(
        truth=deserved, by_overlap=rows["pair_id"].map(suggested), progress=rows["position"] / last.clip(lower=1)
    )
    if unequal:
        draws = {pair: keyed_uniform("ease", seed, pair) for pair in pairs["pair_id"]}
        rows = rows.assign(ease=spread_ease(rows["pair_id"].map(draws).to_numpy("float64"), unequal))
    places, seconds = behaviour.answer(rows, profiles, seed, classes), behaviour.seconds(rows, seed)
    answers = zip(places.tolist(), seconds.tolist(), strict=True)
    return dict(zip(rows["assignment_id"], answers, strict=True))


def _read_pairs(campaign: Campaign) -> pd.DataFrame:
    """The pairs asked about; of a generated text, with an overlap drawn by the pair's id in place of its own."""
    columns = ["pair_id", "first_id", "second_id", "first", "second", "overlap"]
    pairs = campaign.store.read(Pairs, columns=columns, generator=campaign.plan["generator"])
    pairs = pairs[pairs["pair_id"].isin(campaign.assignments["pair_id"])]
    drawn = [keyed_uniform("generated", pair) * 2 * LATENT_STEPS[2] for pair in pairs["pair_id"]]
    is_own = ~hold_generated(pairs, campaign.store)
    return pairs.assign(overlap=pairs["overlap"].where(is_own, pd.Series(drawn, pairs.index)))


def _require_same(campaign: Campaign, manifest: Manifest, truth: "pd.Series[int]") -> None:
    before = campaign.store.manifest(SimulatedTruth, campaign=campaign.name)
    stored = campaign.store.read(SimulatedTruth, campaign=campaign.name).set_index("pair_id")["score"]
    old = stored.reindex(truth.index).dropna().astype("int64")
    same = before is None or (before["config"], before["seed"]) == (plain(manifest.config), manifest.seed)
    if not same or not old.equals(truth.reindex(old.index)):
        raise InputError(
            f"campaign {campaign.name}",
            expected="the profiles, truth, --unequal and seed that it was simulated with before",
            found="others",
            remedy="give the same, or simulate another campaign (--campaign NAME)",
        )


def _mark(campaign: Campaign, names: Sequence[str], manifest: Manifest) -> None:
    """Give the annotators the role `simulated` before their first label."""
    rows = campaign.annotators.loc[list(names)]
    rows = rows[rows["role"] != SIMULATED].assign(role=SIMULATED, at=campaign.now())
    if not rows.empty:
        campaign.store.append(Annotators, rows, manifest)
