"""The pages: what Datasette does not have by itself, and what every answer of the server carries."""

import json
import shlex
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import parse_qsl, urlencode

import pandas as pd
from datasette import hookimpl
from datasette.utils.asgi import NotFound, Response
from markupsafe import Markup

from data.console.paths import Address, last_name
from data.guidance.look import drawing, wording
from data.guidance.look.differing import mark_words
from data.guidance.remedies import remedy

BASE = "store"
"""The name of the copy in addresses: `/store/pairs`."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
)
MADE_PAGES = ("/game", "/models", "/attacks", "/generated")
OPEN = (
    "/look/",
    "/campaign/",
    "/pair/",
    "/annotators",
    "/annotator/",
    "/dropped",
    "/version",
    "/tables",
    "/store/",
    *MADE_PAGES,
)
"""How the addresses begin that are answered; Datasette's own pages about itself are not."""

Send = Callable[[dict[str, Any]], Awaitable[None]]
Receive = Callable[[], Awaitable[dict[str, Any]]]
App = Callable[[dict[str, Any], Receive, Send], Awaitable[None]]


async def ask_rows(datasette: Any, sql: str, *values: object) -> list[dict[str, Any]]:
    """The rows that the query finds in the copy."""
    return [dict(row) for row in (await datasette.databases[BASE].execute(sql, list(values))).rows]


async def names_of(datasette: Any) -> set[str]:
    """The tables of the copy."""
    return {row["name"] for row in await ask_rows(datasette, "select name from sqlite_master")}


async def _ask_table(datasette: Any, names: set[str], table: str, sql: str, *values: object) -> list[dict[str, Any]]:
    """The rows that the query finds, none as long as the copy has no such table."""
    return await ask_rows(datasette, sql, *values) if table in names else []


async def read_figures(datasette: Any) -> dict[str, Any]:
    """What `figures` says of the store that was copied."""
    rows = await ask_rows(datasette, "select content from figures")
    return json.loads(rows[0]["content"])  # type: ignore[no-any-return]


async def render(datasette: Any, request: Any, template: str, values: dict[str, Any]) -> Response:
    """The page of the template with these values."""
    return Response.html(await datasette.render_template(template, values, request=request, view_name="look"))


@dataclass(frozen=True, kw_only=True)
class Rates:
    """What is paid."""

    per_hour: float = 0.0
    per_label: float = 0.0

    def amount(self, hours: float, n: int) -> float | None:
        """The pay for these hours and answers; None where no rate is known."""
        return hours * self.per_hour + n * self.per_label if self.per_hour or self.per_label else None


@dataclass(kw_only=True, eq=False)
class Pages:
    """Datasette's plugin: routes, variables of the templates, and a wrapper that lets only this machine in."""

    place: Address
    port: int
    rates: Rates
    watched: Callable[[], str | None]
    """Tells the campaign for which `watch` runs beside the pages; None where it does not."""
    __name__ = "parade-look"  # plugins are modules as a rule, and asked for their names

    @hookimpl  # type: ignore[untyped-decorator]
    def register_routes(self) -> list[tuple[str, Callable[..., Any]]]:
        """The pages' addresses."""
        return [
            (r"^/$", self.show_home),
            (r"^/version$", self.show_version),
            (r"^/campaign/(?P<name>[^/]+)$", self.show_home),
            (r"^/pair/(?P<pair>[^/]+)$", self.show_pair),
            (r"^/annotators$", self.show_annotators),
            (r"^/annotator/(?P<name>[^/]+)/(?P<who>[^/]+)$", self.show_annotator),
            (r"^/dropped$", self.show_dropped),
            (r"^/tables$", self.show_tables),
        ]

    @hookimpl  # type: ignore[untyped-decorator]
    def extra_template_vars(self, datasette: Any, table: str | None) -> Callable[[], Any]:
        """What every template may use."""

        async def values() -> dict[str, Any]:
            figures = await read_figures(datasette)
            options = await self._options(datasette) if table == "pairs" else {}
            names = await names_of(datasette)
            return {
                "warning": wording.warn_simulated(figures["campaigns"]),
                "store_name": last_name(self.place),
                "copied": figures["copied"],
                "words": wording,
                "options": options,
                "has": {row["table"] for row in figures["tables"] if row["rows"]} & names
                | {"people" for one in figures["campaigns"] if one["people"]}
                | {"attempts" for _ in figures["games"]},
                "waiting": figures["waiting"],
                "markup": mark_words,
            }

        return values

    @hookimpl  # type: ignore[untyped-decorator]
    def render_cell(self, row: Any, value: Any, column: str, table: str | None) -> Markup | None:
        """Links from ids to their pages, and lists as plain text."""
        if column in ("pair_id", "original_id") and isinstance(value, str):
            return Markup('<a class="id" href="/pair/{0}">{1}</a>').format(value, value[:8])
        if column == "annotator" and isinstance(value, str) and "campaign" in row.keys():  # noqa: SIM118
            return Markup('<a href="/annotator/{0}/{1}">{1}</a>').format(row["campaign"], value)
        if isinstance(value, str) and value.startswith("[") and value.endswith("]"):
            try:
                parts = json.loads(value)
            except ValueError:
                return None
            if all(isinstance(part, str | int) for part in parts):
                return Markup("{}").format(", ".join(map(str, parts)))
        if table == "rejects" and column == "id" and isinstance(value, str):
            return Markup("<code>{}</code>").format(value)
        return None

    @hookimpl  # type: ignore[untyped-decorator]
    def asgi_wrapper(self) -> Callable[[App], App]:
        """Answer only what this machine asks by reading, and say in every answer that nothing else is loaded."""
        hosts = {f"{name}:{self.port}" for name in ("127.0.0.1", "localhost")}

        def wrap(app: App) -> App:
            async def guarded(scope: dict[str, Any], receive: Receive, send: Send) -> None:
                if scope["type"] != "http":
                    await app(scope, receive, send)
                    return

                async def send_guarded(message: dict[str, Any]) -> None:
                    if message["type"] == "http.response.start":
                        own = {name for name, _ in HEADERS}
                        kept = [(name, value) for name, value in message["headers"] if name.lower() not in own]
                        message = message | {"headers": [*kept, *HEADERS]}
                    await send(message)

                if answer := self._refuse(scope, hosts):
                    await answer.asgi_send(send_guarded)
                    return
                await app(scope, receive, send_guarded)

            return guarded

        return wrap

    @staticmethod
    def _refuse(scope: Mapping[str, Any], hosts: set[str]) -> Response | None:
        """The answer to a request that is not answered by a page; None for all others."""
        named = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
        if len(named) != 1 or named[0] not in hosts:
            return Response.text("This server answers only to 127.0.0.1 and localhost.", status=421)
        if scope["method"] not in ("GET", "HEAD"):
            return Response.text("Nothing can be written here.", status=405)
        path = scope["path"]
        if path != "/" and not path.startswith(OPEN):
            return Response.text("No such page.", status=404)
        query = scope["query_string"].decode("latin-1")
        pairs = parse_qsl(query, keep_blank_values=True)
        filled = [(name, value) for name, value in pairs if value or name == "_search"]
        if path.startswith(("/store/", *MADE_PAGES)) and len(filled) < len(pairs):
            address = path + ("?" + urlencode(filled) if filled else "")
            return Response.redirect(address)
        return None

    async def show_home(self, request: Any, datasette: Any) -> Response:
        """A campaign, by default the one that was rated last; of a store without one, what there is."""
        figures = await read_figures(datasette)
        campaigns = figures["campaigns"]
        name = request.url_vars.get("name")
        main = [one for one in campaigns if one["plan"].get("arm") == "main"] or campaigns
        one = self._named(campaigns, name) if name else next(iter(main), None)
        values = {"figures": figures, "campaign": one, "campaigns": campaigns, "rates": self.rates, "live": True}
        if one:
            values |= {
                "chart": drawing.draw_days(one["days"], one["done"] + one["open"]),
                "people": [*wording.find_low(one), *wording.find_idle(one, pd.Timestamp.now("UTC"))],
                "next_command": wording.next_command(one, self.watched()),
                "to_come": one["open"] * (one["seconds"] or 0) / 3600,
            }
        return await render(datasette, request, "home.html", values)

    async def show_version(self, datasette: Any) -> Response:
        """When the copy was made: pages ask for it, and load themselves again when it changes."""
        return Response.json({"copied": (await read_figures(datasette))["copied"]})

    async def show_annotators(self, request: Any, datasette: Any) -> Response:
        """A row for each annotator of a campaign."""
        campaigns = (await read_figures(datasette))["campaigns"]
        name = request.args.get("campaign")
        one = self._named(campaigns, name) if name else next(iter(campaigns), None)
        rows = [] if one is None else one["people"]
        values = {"campaign": one, "campaigns": campaigns, "dots": drawing.draw_dots(rows), "axis": drawing.AXIS}
        return await render(datasette, request, "annotators.html", values | {"live": True})

    async def show_annotator(self, request: Any, datasette: Any) -> Response:
        """An annotator's ratings against the others', the most different first."""
        campaigns = (await read_figures(datasette))["campaigns"]
        one = self._named(campaigns, request.url_vars["name"])
        who = request.url_vars["who"]
        person = next((row for row in one["people"] if row["annotator"] == who), None)
        if person is None:
            raise NotFound(f"no annotator {who} in campaign {one['name']}")
        sql = "select * from ratings where campaign = ? and annotator = ? order by abs(difference) desc limit 100"
        ask = partial(_ask_table, datasette, await names_of(datasette), "ratings")
        rows = await ask(sql, one["name"], who)
        compared = await ask(
            "select score, cast(round(score - difference) as integer) as others, count(*) as n from ratings "
            "where campaign = ? and annotator = ? and difference is not null group by 1, 2",
            one["name"],
            who,
        )
        grid = drawing.draw_grid(compared, one["answers"])
        values = {"campaign": one, "person": person, "rows": rows, "grid": grid}
        return await render(datasette, request, "annotator.html", values)

    async def show_pair(self, request: Any, datasette: Any) -> Response:
        """All that is known of a pair."""
        pair = request.url_vars["pair"]
        rows = await ask_rows(datasette, "select * from pairs where pair_id = ?", pair)
        if not rows:
            raise NotFound(f"no pair {pair}")
        one = rows[0]
        ask = partial(_ask_table, datasette, await names_of(datasette))

        by_pair = "select * from {} where pair_id = ? order by {}"
        near = "select * from pairs where generator = ? and entity = ? and cluster is ? and pair_id <> ? limit 20"
        cards = (
            "select s.definition_id, c.* from sightings s join cards c on c.card_id = s.card_id "
            "where s.definition_id in (?, ?) group by s.definition_id, c.card_id order by c.fetched_at limit 50"
        )
        made = (
            "with recursive back(id) as (values (?) union values (?) union select source_id from generated_texts, back "
            "where text_id = back.id) select * from generated_texts where text_id in (select id from back) limit 20"
        )
        both, store = (one["first_id"], one["second_id"]), f"--store {shlex.quote(str(self.place))}"
        first, second = mark_words(one["first"], one["second"])
        values = {
            "pair": one,
            "rows": rows,
            "first": first,
            "second": second,
            "ratings": await ask("ratings", by_pair.format("ratings", "campaign, round, annotator"), pair),
            "labels": await ask("labels", by_pair.format("labels", "campaign, method"), pair),
            "splits": await ask("splits", by_pair.format("splits", "scheme"), pair),
            "scores": await ask(
                "predictions", "select r.model, r.seed, p.score from predictions p join runs r on r.run_id = p.run_id "
                "where p.pair_id = ? order by r.at desc limit 20", pair),
            "conflicts": await ask("inconsistencies", by_pair.format("inconsistencies", "kind"), pair),
            "neighbours": await ask("pairs", near, one["generator"], one["entity"], one["cluster"], pair),
            "cards": await ask("cards", cards, *both),
            "generated": await ask("generated_texts", made, *both),
            "lineage": f"python -m data lineage {pair[:12]} {store}",
            "takedown": f"python -m data takedown --texts {' '.join(both)} {store}",
        }  # fmt: skip
        return await render(datasette, request, "pair.html", values)

    async def show_dropped(self, request: Any, datasette: Any) -> Response:
        """What was dropped, by stage and reason, each with what would bring it back."""
        figures = await read_figures(datasette)
        sql = "select stage, reason, text, id, detail, max(text is not null) from rejects group by stage, reason"
        examples = {
            (row["stage"], row["reason"]): row["text"] or row["detail"] or row["id"]
            for row in await _ask_table(datasette, await names_of(datasette), "rejects", sql)
        }
        rows = [
            row
            | {
                "back": remedy(row["stage"], row["reason"]),
                "example": examples.get((row["stage"], row["reason"]), ""),
            }
            for row in figures["rejects"]
        ]
        return await render(datasette, request, "dropped.html", {"rows": rows})

    async def show_tables(self, request: Any, datasette: Any) -> Response:
        """The tables of the copy, each with what it holds."""
        known = datasette.metadata("databases")[BASE]["tables"]
        present = await names_of(datasette)
        rows = (await read_figures(datasette))["tables"]
        rows = [row | known[row["table"]] for row in rows if row["table"] in known and row["table"] in present]
        return await render(datasette, request, "tables.html", {"rows": rows})

    @staticmethod
    def _named(campaigns: list[dict[str, Any]], name: str) -> dict[str, Any]:
        found = next((one for one in campaigns if one["name"] == name), None)
        if found is None:
            raise NotFound(f"no campaign {name}")
        return found

    async def _options(self, datasette: Any) -> dict[str, list[dict[str, Any]]]:
        options: dict[str, list[dict[str, Any]]] = {}
        for row in await ask_rows(datasette, "select name, value, n from filters"):
            options.setdefault(row["name"], []).append(row)
        return options
