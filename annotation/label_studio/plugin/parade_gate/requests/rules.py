"""The requests that annotators and strangers may make; everything else is refused.

Written for the URL table of one version of Label Studio. A path names its ids; a query keeps the parameters that
are listed, each once and in the given form; a body is rebuilt. Imports only the standard library.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from parade_gate.requests import bodies

NUMBER = r"[1-9][0-9]{0,15}"
PROJECT = {"project": NUMBER}
TAB = {"tab": NUMBER, "tabID": r"[0-9]{1,16}", "view": NUMBER}
WORDS = r"[A-Za-z_,]{1,200}"


@dataclass(frozen=True)
class Rule:
    """One kind of request that is allowed."""

    methods: frozenset[str]
    path: re.Pattern[str]
    query: Mapping[str, str] = field(default_factory=dict)
    """Parameter -> pattern of its value; other parameters are dropped."""
    needs: frozenset[str] = frozenset()
    """Parameters that are required."""
    body: bodies.Rebuild | None = None
    answer: str | None = None
    """The name of the gate's own answer, which does not involve the server."""
    form: bool = False
    """Whether the body is a form of a page; otherwise it is JSON and is rebuilt."""
    hidden: frozenset[str] = frozenset()
    """Fields that are emptied in the server's answer."""
    shows_tasks: bool = False
    """Whether the answer shows tasks, so that a person's working time starts."""


def _rule(methods: str, path: str, **more: object) -> Rule:
    template = path.replace("{project}", f"(?P<project>{NUMBER})").replace("{task}", f"(?P<task>{NUMBER})")
    template = template.replace("{annotation}", f"(?P<annotation>{NUMBER})").replace("{draft}", f"(?P<draft>{NUMBER})")
    return Rule(frozenset(methods.split()), re.compile(template + "/?"), **more)  # type: ignore[arg-type]


_ONE = frozenset({"project"})
_WHO = frozenset({"created_by", "active_organization_meta", "organization", "updated_by_user"})

SIGN_IN = _rule("GET", r"/user/login", query={"next": r"/(?!/)[!-~]{0,200}"})

STRANGERS = [
    _rule("GET HEAD", r"/(static|react-app|label-studio-frontend|dm)/.*"),
    _rule("GET HEAD", r"/(sw|sw-fallback)\.js"),
    _rule("GET HEAD", r"/favicon\.ico"),
    _rule("GET HEAD", r"/health"),
    SIGN_IN,
    _rule("POST", r"/user/login", form=True, answer="sign_in"),
]
"""For everybody, signed in or not."""

PAGES = [
    _rule("GET", r"/(projects)?", answer="start"),
    _rule("GET", r"/projects/{project}(/data)?", query={"labeling": "1", "task": NUMBER, **TAB}),
    _rule("GET", r"/agreement", answer="agreement"),
    _rule("GET", r"/game/{project}", answer="game"),
]
"""Pages, which lead to the login if there is no session."""

SIGN_OUT = _rule("GET POST", r"/logout")

ANNOTATORS = [
    SIGN_OUT,
    _rule("POST", r"/agreement", form=True, answer="agree"),
    _rule("POST", r"/game/{project}/check", form=True, answer="game_check"),
    _rule("POST", r"/game/{project}/submit", form=True, answer="game_submit"),
    _rule("GET", r"/progress", answer="progress"),
    _rule("GET", r"/progress\.js", answer="progress_script"),
    _rule("GET", r"/api/version"),
    _rule("GET", r"/api/current-user/whoami", hidden=_WHO),
    _rule("GET", r"/api/current-user/hotkeys"),
    _rule("GET", r"/api/users", query=PROJECT, answer="users"),
    _rule("GET", r"/api/projects", answer="projects"),
    _rule("GET", r"/api/(ml|webhooks)", answer="empty"),
    _rule("GET", r"/api/dm/actions", answer="empty"),
    _rule("GET", r"/api/label_links", query=PROJECT, answer="no_results"),
    _rule("GET", r"/api/projects/{project}", hidden=_WHO),
    _rule("GET", r"/api/projects/{project}/next", shows_tasks=True),
    _rule("GET", r"/api/projects/{project}/label-stream-history"),
    _rule(
        "GET",
        r"/api/dm/project",
        query={**PROJECT, "interaction": WORDS, "include": WORDS},
        needs=_ONE,
        hidden=_WHO,
    ),
    _rule("GET", r"/api/dm/(columns|views)", query=PROJECT, needs=_ONE),
    _rule("POST", r"/api/dm/views", query={**PROJECT, "tabID": TAB["tabID"]}, body=bodies.view, needs=_ONE),
    _rule(
        "POST",
        r"/api/dm/actions",
        query={**PROJECT, **TAB, "id": "next_task"},
        body=bodies.nothing,
        needs=_ONE | {"id"},
        shows_tasks=True,
    ),
    _rule(
        "GET",
        r"/api/tasks",
        query={**PROJECT, **TAB, "page": NUMBER, "page_size": r"[1-9][0-9]?"},
        needs=_ONE,
        shows_tasks=True,
    ),
    _rule("GET", r"/api/tasks/{task}", query={**PROJECT, "interaction": WORDS}, shows_tasks=True),
    _rule("GET", r"/api/tasks/{task}/(annotations|drafts)", query=PROJECT),
    _rule("POST", r"/api/tasks/{task}/annotations", query=PROJECT, body=bodies.annotation),
    _rule("POST", r"/api/tasks/{task}/drafts", query=PROJECT, body=bodies.draft),
    _rule("GET", r"/api/tasks/{task}/annotations/{annotation}/drafts", query=PROJECT),
    _rule("POST", r"/api/tasks/{task}/annotations/{annotation}/drafts", query=PROJECT, body=bodies.draft),
    _rule("GET", r"/api/annotations/{annotation}", query=PROJECT),
    _rule("PATCH", r"/api/annotations/{annotation}", query={**PROJECT, "taskID": NUMBER}, body=bodies.annotation),
    _rule("GET", r"/api/drafts/{draft}", query=PROJECT),
    _rule("PATCH", r"/api/drafts/{draft}", query=PROJECT, body=bodies.draft),
    _rule("DELETE", r"/api/drafts/{draft}", query=PROJECT),
]
"""For people who are signed in, limited to their own work."""


def find(rules: list[Rule], method: str, path: str) -> tuple[Rule, dict[str, int]] | None:
    """The rule for a request and the ids in its path, or None."""
    for rule in rules:
        if method in rule.methods and (match := rule.path.fullmatch(path)):
            return rule, {name: int(value) for name, value in match.groupdict().items() if value}
    return None


class QueryError(ValueError):
    """A query that the page never sends."""


def rebuild_query(rule: Rule, pairs: list[tuple[str, str]]) -> dict[str, str]:
    """The parameters that the rule lists, each at most once. Raises QueryError for a repeated or malformed one."""
    query: dict[str, str] = {}
    for name, value in pairs:
        if name not in rule.query:
            continue
        if name in query or not re.fullmatch(rule.query[name], value):
            raise QueryError(name)
        query[name] = value
    if not rule.needs <= query.keys():
        raise QueryError(", ".join(sorted(rule.needs - query.keys())))
    return query
