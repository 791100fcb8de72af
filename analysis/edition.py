"""What a release holds, as tables; gathered from a store or from a data set that lies elsewhere.

Tables, besides `pairs` (see PAIR_COLUMNS) all from a store alone: `ratings` (every rating of the campaign under
pseudonyms: replaced ones, those of checks and of pairs without a label too), `annotators` (who they are, as far as
the campaign knows), `documents` (the consent and the guide that they accepted), `quality` (their measures),
`provenance` (the cards that each definition stood on), `flow` (what came out of each stage, and what was dropped).
"""

from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from analysis import datasets, flow, groups, personal, recount
from analysis.config import Chosen
from analysis.flow import Question
from analysis.snapshot import Snapshot
from analysis.sources import Source
from data import schemas, similarity
from data.store import Store

PAIR_COLUMNS = [
    *("pair_id", "entity", "first_id", "second_id", "first", "second", "split", "group", "votes", "n_votes", "share"),
    *("binary", "scores", "posterior", "stratum", "decided_by", "overlap", "parents"),
]
RATING_COLUMNS = [
    *("pair_id", "annotator", "role", "round", "kind", "score", "flags", "comment", "seconds", "skipped", "flipped"),
    *("replaced_in", "known_score", "submitted_at", "guide_version"),
]
"""`replaced_in`: the first round with a rating that takes this one's place in the vote (null: it counts);
`known_score`: the score that a gold pair is known to have."""
DOCUMENT_COLUMNS = ["kind", "version", "reference", "text", "at"]
ANNOTATOR_COLUMNS = ["annotator", "role", "level", "state", "guide_version", "consent_version"]
FLOW_COLUMNS = ["step", "unit", "what", "name", "n"]
"""One row a number of `flow.trace`: `what` is `rows` (what goes on), `detail` or `reject`, `name` which of them."""
PROVENANCE_COLUMNS = [
    *("definition_id", "card_id", "source", "url", "set_id", "set_title", "position", "fetched_at", "licence_note"),
]
TABLES = ("pairs", "ratings", "annotators", "documents", "quality", "provenance", "flow")
TEXTS = ["first", "second", "overlap"]
"""The columns that a release without texts leaves out, with what could be counted from them alone."""


@dataclass(frozen=True, kw_only=True)
class Edition:
    """The tables of a release and where they come from."""

    pairs: pd.DataFrame
    ratings: pd.DataFrame | None = None
    annotators: pd.DataFrame | None = None
    documents: pd.DataFrame | None = None
    quality: pd.DataFrame | None = None
    provenance: pd.DataFrame | None = None
    flow: pd.DataFrame | None = None
    scheme: str
    synonyms: dict[str, str] = field(default_factory=dict)
    rule: recount.Rule = field(default_factory=recount.Rule)
    """What votes and measures were made with."""
    simulated: int = 0
    """How many ratings are a simulated annotator's."""
    withdrawn: frozenset[str] = frozenset()
    """The pseudonyms of those who withdrew."""
    unresolved: int = 0
    """Pairs that were given to annotators and have no label, but for those that were taken out."""
    forgotten: int = 0
    """Labelled pairs that the table `pairs` no longer holds."""
    manifests: list[dict[str, Any]] = field(default_factory=list)
    """Of every table that was read: the manifest of the version used."""

    def tables(self) -> dict[str, pd.DataFrame]:
        """The tables that are there, by name."""
        named = {name: getattr(self, name) for name in TABLES}
        return {name: table for name, table in named.items() if table is not None}

    def without_text(self) -> "Edition":
        """The edition without the definitions' texts and without the annotators' comments."""
        ratings = None if self.ratings is None else self.ratings.drop(columns="comment")
        return replace(self, pairs=self.pairs.drop(columns=TEXTS), ratings=ratings)


def gather(source: Source, chosen: Chosen) -> Edition:
    """The edition of a data set, with all that a store knows of it."""
    frame = source.frame
    overlap = similarity.jaccard(frame["first"].tolist(), frame["second"].tolist()).set_axis(frame.index)
    share = (frame["votes"] / frame["n_votes"]).astype("Float64").where(frame["n_votes"] > 0)
    frame = frame.assign(group=groups.group(frame, source.synonyms), share=share, overlap=overlap)
    if source.kind != "store":
        return Edition(pairs=_arranged(_with_votes(frame)), scheme=source.scheme, manifests=source.tables)
    store = Store(source.path)
    part: dict[str, Any] = {"campaign": chosen.campaign, "method": chosen.method}
    labels, snapshot = store.read(schemas.Labels, **part), Snapshot(store)
    more = ["pair_id", "scores", "posterior", "stratum", "decided_by"]
    ratings, withdrawn = _read_ratings(store, chosen.campaign), _read_withdrawn(store, chosen.campaign)
    people = _read_annotators(store, chosen.campaign)
    quality = store.read(schemas.Quality, campaign=chosen.campaign).drop(columns="campaign")
    return Edition(
        pairs=_arranged(frame.merge(labels[more], on="pair_id")),
        ratings=ratings,
        annotators=people.loc[~people["annotator"].isin(sorted(withdrawn)), ANNOTATOR_COLUMNS],
        documents=_read_documents(store, chosen.campaign),
        quality=quality,
        provenance=_read_provenance(store, frame),
        flow=list_flow(flow.trace(snapshot, Question(**part, scheme=source.scheme))),
        scheme=source.scheme,
        synonyms=dict(source.synonyms),
        simulated=int((ratings["role"] == "simulated").sum()),
        withdrawn=withdrawn,
        unresolved=_count_unresolved(store, chosen.campaign, labels["pair_id"]),
        forgotten=datasets.forgotten(labels, frame),
        rule=recount.read_rule(
            snapshot.config(schemas.Quality, campaign=chosen.campaign) | snapshot.config(schemas.Labels, **part)
        ),
        manifests=_read_manifests(store, chosen, source.scheme),
    )


def _with_votes(frame: pd.DataFrame) -> pd.DataFrame:
    """The columns that only a store knows, as far as they follow from the votes."""
    agreed = (frame["votes"] == 0) | (frame["votes"] == frame["n_votes"])
    nothing = pd.Series(pd.NA, index=frame.index, dtype="object")
    stratum = agreed.map({True: "unanimous", False: "split"})
    return frame.assign(stratum=stratum, decided_by="majority", scores=nothing, posterior=nothing)


def _arranged(frame: pd.DataFrame) -> pd.DataFrame:
    pairs = frame[PAIR_COLUMNS].sort_values("pair_id", ignore_index=True)
    return pairs.astype({"posterior": "Float64", "share": "Float64", "overlap": "Float64"})


def _read_ratings(store: Store, campaign: str) -> pd.DataFrame:
    assigned = store.read(schemas.Assignments, campaign=campaign)
    replacing = assigned.dropna(subset="supersedes").groupby("supersedes")["round"].min()
    roles = _read_annotators(store, campaign).set_index("annotator")["role"]
    gold = pd.Series(_read_gold(store, campaign), dtype="Int64")
    rows = assigned.merge(store.read(schemas.Ratings), on="assignment_id")
    rows = rows.assign(
        role=rows["annotator"].map(roles),
        replaced_in=rows["assignment_id"].map(replacing).astype("Int64"),
        known_score=rows["pair_id"].map(gold).where(rows["kind"] == "gold").astype("Int64"),
    )
    return rows[RATING_COLUMNS].sort_values(["pair_id", "annotator", "submitted_at"], ignore_index=True)


def _read_annotators(store: Store, campaign: str) -> pd.DataFrame:
    """The latest row of each of the campaign's annotators, with what each accepted last."""
    people = store.read(schemas.Annotators, campaign=campaign).sort_values("at")
    people = people.drop_duplicates("annotator", keep="last").sort_values("annotator", ignore_index=True)
    accepted = _of_study(store.read(schemas.Acceptances), campaign).sort_values("at")
    for kind in ("consent", "guide"):
        last = accepted[accepted["kind"] == kind].drop_duplicates("annotator", keep="last")
        known = people["annotator"].map(last.set_index("annotator")["version"]).astype(object)
        people[f"{kind}_version"] = known.fillna(people[f"{kind}_version"].astype(object))
    return people


def _of_study(rows: pd.DataFrame, campaign: str) -> pd.DataFrame:
    """The rows of the campaign, and of the one that it is the pilot or the control arm of."""
    own = [campaign == of or campaign.startswith(f"{of}-") for of in rows["campaign"]]
    return rows[pd.Series(own, index=rows.index, dtype="bool")]


def _read_documents(store: Store, campaign: str) -> pd.DataFrame | None:
    rows = _of_study(store.read(schemas.Documents), campaign)[DOCUMENT_COLUMNS]
    return rows.drop_duplicates(["kind", "version"]).reset_index(drop=True) if len(rows) else None


def _read_withdrawn(store: Store, campaign: str) -> frozenset[str]:
    """The pseudonyms of the tombstones CAMPAIGN/PSEUDONYM."""
    ids = store.read(schemas.Tombstones, ["id"], kind="annotator")["id"].str.partition("/")
    return frozenset(_of_study(ids.rename(columns={0: "campaign"}), campaign)[2]) if len(ids) else frozenset()


TAKEN_OUT = ("unresolved_flagged", "flagged_by_senior")
"""The rejects of pairs that somebody decided to leave out."""


def _count_unresolved(store: Store, campaign: str, labelled: "pd.Series[str]") -> int:
    given = store.read(schemas.Assignments, ["pair_id", "kind"], campaign=campaign)
    work = set(given.loc[given["kind"] == "work", "pair_id"])
    out = {one for reason in TAKEN_OUT for one in store.read(schemas.Rejects, ["id"], reason=reason)["id"]}
    return len(work - set(labelled) - out)


def _read_gold(store: Store, campaign: str) -> dict[str, int]:
    """The known score of each gold pair, as the campaign was planned."""
    plans = (one["config"] for one in store.history(schemas.Assignments) if one["config"].get("campaign") == campaign)
    return next((plan["gold"] for plan in plans if plan.get("gold")), {})


def list_flow(steps: list[dict[str, Any]]) -> pd.DataFrame:
    """The value of `flow.trace` as a table of FLOW_COLUMNS."""
    rows = [
        (step["step"], step["unit"], what, name, n)
        for step in steps
        for what, numbers in (("rows", {"": step["rows"]}), ("detail", step["details"]), ("reject", step["rejects"]))
        for name, n in numbers.items()
    ]
    return pd.DataFrame(rows, columns=FLOW_COLUMNS)


def _read_provenance(store: Store, frame: pd.DataFrame) -> pd.DataFrame:
    sightings = store.read(schemas.Sightings)
    used = sightings[sightings["definition_id"].isin({*frame["first_id"], *frame["second_id"]})]
    cards = store.read(schemas.Cards).sort_values("fetched_at").drop_duplicates("card_id", keep="last")
    rows = used.merge(cards, on="card_id")[PROVENANCE_COLUMNS]
    return rows.sort_values(["definition_id", "card_id"], ignore_index=True)


def _read_manifests(store: Store, chosen: Chosen, scheme: str) -> list[dict[str, Any]]:
    part = {"campaign": chosen.campaign, "method": chosen.method, "scheme": scheme}
    found = []
    for table in schemas.TABLES:
        names = schemas.scope(table)
        asked = {name: part[name] for name in names} if part.keys() >= set(names) else {}
        last = store.manifest(table, **asked) if table is not schemas.SimulatedTruth else None
        if last is not None:
            found.append({"table": schemas.name(table), **last})
    return found


def mask_personal(edition: Edition, keep: tuple[str, ...]) -> tuple[Edition, pd.DataFrame]:
    """The edition with personal data masked in texts and comments, and what was found: where, id, kind, found."""
    pairs, found = _mask(edition.pairs, "pairs", ["first", "second"], keep)
    if edition.ratings is None:
        return replace(edition, pairs=pairs), found
    ratings, said = _mask(edition.ratings, "ratings", ["comment"], keep)
    return replace(edition, pairs=pairs, ratings=ratings), pd.concat([found, said], ignore_index=True)


def _mask(
    table: pd.DataFrame, name: str, columns: list[str], keep: tuple[str, ...]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    masked, found = table.copy(), [pd.DataFrame(columns=["where", "id", "kind", "found"])]
    for column in [name for name in columns if name in table]:
        hits = personal.list_all(table[column], keep)
        rows = hits["index"].unique()
        masked.loc[rows, column] = [personal.mask(text, keep) for text in table.loc[rows, column]]
        ids = table.loc[hits["index"], "pair_id"].to_numpy()
        found.append(hits.assign(where=f"{name}.{column}", id=ids)[["where", "id", "kind", "found"]])
    return masked, pd.concat(found, ignore_index=True)
