"""The pages of what a store has beside its campaigns: games, models, attacks and generated texts."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from datasette import hookimpl
from datasette.utils.asgi import NotFound, Response

from data.guidance.look.copying import MADE
from data.guidance.look.differing import mark_words
from data.guidance.look.pages import ask_rows, names_of, read_figures, render

PAGE = 50
"""Rows on a page."""

OUTCOMES: Mapping[str, tuple[str, str]] = {
    "same": ("mean the same", "implied = 1"),
    "other": ("do not", "implied = 0"),
    "refused": ("refused", "refused is not null"),
    "unjudged": ("not judged", "implied is null and refused is null"),
    "submitted": ("submitted", "submitted_at is not null"),
}
"""What may have become of an attempt: in words, and as a condition."""


class MadePages:
    """Datasette's plugin with these pages; each filter has an address."""

    __name__ = "parade-made"

    @hookimpl  # type: ignore[untyped-decorator]
    def register_routes(self) -> list[tuple[str, Callable[..., Any]]]:
        """The pages' addresses."""
        return [
            (r"^/game$", self.show_game),
            (r"^/models$", self.show_models),
            (r"^/attacks$", self.show_attacks),
            (r"^/generated$", self.show_generated),
        ]

    async def show_game(self, request: Any, datasette: Any) -> Response:
        """A game: what was played and paid, its players, its sentences, and the attempts that a filter leaves.

        Of a game without attempts, only that it is open.
        """
        opened = {one["name"]: one for one in (await read_figures(datasette))["games"]}
        played = await _made(datasette, "game") if "attempts" in await names_of(datasette) else []
        new = [opened[name] for name in opened.keys() - {one["name"] for one in played}]
        games = [*new, *played]
        one = _named(games, "name", request.args.get("campaign"))
        head = {"games": games, "game": one, "opening": opened.get(one["name"]), "live": not request.query_string}
        if one in new:
            return await render(datasette, request, "made/game.html", head)
        by = {"player": "player = ?", "prompt": "prompt_id = ?"}
        conditions = {name: words for name, (_, words) in OUTCOMES.items()}
        found = await _page(
            datasette, request, "attempts", "order by asked_at desc, attempt_id",
            _where(request, by | {"outcome": conditions}, ["campaign = ?"], [one["name"]]),
        )  # fmt: skip
        for row in found["rows"]:
            row["marked"] = mark_words(row["sentence"] or "", row["text"])
        names = {name: words for name, (words, _) in OUTCOMES.items()}
        return await render(datasette, request, "made/game.html", head | {"outcomes": names} | found)

    async def show_models(self, request: Any, datasette: Any) -> Response:
        """Each model on the test split and on every set of pairs."""
        made = await _made(datasette, "models")
        model, one_set = request.args.get("model"), request.args.get("set")
        values = {
            "runs": [row for row in made["runs"] if model in (None, row["model"])],
            "test": [row for row in made["test"] if model in (None, row["model"])],
            "sets": [row for row in made["sets"] if model in (None, row["of"]) and one_set in (None, row["set"])],
            "models": sorted({row["model"] for row in made["runs"]}),
            "names": sorted({row["set"] for row in made["sets"]}),
        }  # fmt: skip
        return await render(datasette, request, "made/models.html", values)

    async def show_attacks(self, request: Any, datasette: Any) -> Response:
        """Each attack with how many pairs it misled, and the pairs before and after."""
        from data.labelled.robustness import mark  # loads much, for this page alone

        attacks = await _made(datasette, "attacks")
        one = _named(attacks, "name", request.args.get("attack"))
        by = {"outcome": "outcome = ?", "label": "label = ?"}
        order = "order by outcome <> 'fooled', original_id"
        found = await _page(datasette, request, "attacks", order, _where(request, by, ["attack = ?"], [one["name"]]))
        for row in found["rows"]:
            row["texts"] = [mark(row[side], row[f"new_{side}"]) for side in ("first", "second")]
        outcomes = sorted({name for some in one["outcomes"].values() for name in some})
        values = {"attacks": attacks, "attack": one, "outcomes": outcomes}
        return await render(datasette, request, "made/attacks.html", values | found)

    async def show_generated(self, request: Any, datasette: Any) -> Response:
        """Each generator with what it made and what it left out, and the texts beside what they were made from."""
        made = await _made(datasette, "generated")
        by = {"generator": "generator = ?", "method": "method = ?"}
        found = await _page(
            datasette, request, "generated_texts", "order by generator, text_id", _where(request, by, [], [])
        )
        for row in found["rows"]:
            row["marked"] = mark_words(row["source"] or "", row["text"])
        values = {"generators": made, "methods": sorted({name for one in made for name in one["methods"]})}
        return await render(datasette, request, "made/generated.html", values | found)


async def _made(datasette: Any, name: str) -> Any:
    """What the copy says of a part; NotFound where it has none yet, or where it cannot be described."""
    rows = await ask_rows(datasette, f"select content from {MADE} where name = ?", name)
    content = json.loads(rows[0]["content"]) if rows else {}
    if not content.get("rows"):
        raise NotFound(content.get("fault") or f"the copy has no {name} yet")
    return content["rows"]


def _named(rows: Sequence[dict[str, Any]], key: str, name: str | None) -> dict[str, Any]:
    """The row of this name, or the first one if none is given."""
    found = next((row for row in rows if name in (None, row[key])), None)
    if found is None:
        raise NotFound(f"there is no {name}")
    return found


def _where(request: Any, filters: Mapping[str, Any], conditions: list[str], values: list[Any]) -> tuple[str, list[Any]]:
    """The condition of the filters in the address, and its values.

    A filter is a condition with one value, or one condition for each value that it may have.
    """
    for name, condition in filters.items():
        value = request.args.get(name)
        if not value:
            continue
        if isinstance(condition, str):
            conditions, values = [*conditions, condition], [*values, value]
        elif value in condition:
            conditions = [*conditions, condition[value]]
    return " and ".join(conditions) or "1", values


async def _page(datasette: Any, request: Any, table: str, order: str, where: tuple[str, list[Any]]) -> dict[str, Any]:
    """A page of rows from the one that `from` names: rows, total, start, and the address of the next page."""
    condition, values = where
    given = request.args.get("from") or "0"
    start = int(given) if given.isascii() and given.isdecimal() and len(given) < 10 else 0
    (counted,) = await ask_rows(datasette, f"select count(*) as n from {table} where {condition}", *values)
    sql = f"select * from {table} where {condition} {order} limit {PAGE} offset {start}"
    rows = await ask_rows(datasette, sql, *values)
    kept = {name: request.args.get(name) for name in request.args if name != "from"}
    more = urlencode(kept | {"from": start + PAGE}) if start + PAGE < counted["n"] else None
    return {"rows": rows, "total": counted["n"], "start": start, "next": more and f"{request.path}?{more}"}
