"""Who takes part, under which pseudonym, and the secrets of a campaign: its key and the sign-in data, in 0600 files."""

import json
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pandas as pd

from data.console.commands import require_at_least
from data.console.errors import InputError
from data.contract.vocabulary import EXPERT, JOINING_ROLES
from data.files.keys import own_key
from data.files.sheets import read_sheet, whole_numbers
from data.files.values import read_json
from data.files.whole import PRIVATE, write_whole

COLUMNS = ("email", "role", "level", "areas", "quota")
"""The columns of a file of annotators; only `email` is required."""

NOBODYS_ADDRESS = ".parade.invalid"
"""The ending of the addresses that `plan --annotators NUMBER` makes up: no person reads their mail."""

MAIL_HEADER = re.compile(r"^(?:e[- ]?)?mail(?:[- _]?address)?$")
"""How people head the column of addresses."""
EMAIL = re.compile(r"^[^@\s,;]+@[^@\s,;]+\.[^@\s,;.]+")


@dataclass(frozen=True, kw_only=True)
class Account:
    """A pseudonym, and what the login page asks for."""

    annotator: str
    email: str
    password: str = field(repr=False)


def read_people(path: Path) -> pd.DataFrame:
    """The people of a sheet with the columns email, role, level, areas, quota, in the file's order.

    Addresses and roles are lower-cased; an empty role is `expert`, an empty quota null (no limit). Raises InputError
    that names the first line without exactly one e-mail address, a known role and a whole number, or nothing, as quota.
    """
    sheet = read_sheet(path, "a sheet of annotators", remedy="correct the file and plan again")
    named = sheet.rows.rename(columns=lambda column: MAIL_HEADER.sub("email", column))
    sheet = replace(sheet, rows=named)
    sheet.require_columns(["email"], known=COLUMNS)
    if sheet.rows.empty:
        raise InputError(path, expected="one row per annotator", found="none", remedy=sheet.remedy)
    cells = sheet.rows.reindex(columns=list(COLUMNS), fill_value="")
    people = pd.DataFrame({column: cells[column].str.strip() for column in COLUMNS})
    people["email"], people["role"] = people["email"].str.lower(), people["role"].str.lower().replace("", EXPERT)
    sheet.require_rows(people["email"].str.fullmatch(EMAIL.pattern), "one e-mail address", people["email"].map(repr))
    sheet.require_rows(~people["email"].duplicated(), "each e-mail address once", people["email"].map(repr))
    sheet.require_rows(
        people["role"].isin(JOINING_ROLES), "a role of " + ", ".join(JOINING_ROLES), people["role"].map(repr)
    )
    people["quota"] = whole_numbers(people["quota"])
    whole = people["quota"].str.fullmatch(r"\d{0,9}")
    sheet.require_rows(whole, "a whole number or nothing as quota", people["quota"].map(repr))
    people["quota"] = pd.to_numeric(people["quota"]).astype("Int64")
    people = people.assign(level=people["level"].replace("", None), areas=people["areas"].replace("", None))
    return people.reset_index(drop=True)


def unnamed_people(n: int, host: str) -> pd.DataFrame:
    """`n` experts without quotas, at addresses of the host without an owner, in the form of `read_people`."""
    require_at_least("--annotators", n, 1)
    emails = [f"{_pseudonym(number)}@{host}{NOBODYS_ADDRESS}" for number in range(1, n + 1)]
    people = pd.DataFrame({"email": emails, "role": EXPERT, "level": None, "areas": None})
    return people.assign(quota=pd.Series(pd.NA, index=people.index, dtype="Int64"))


def name(root: Path, study: str, emails: "pd.Series[str]", before: str | None = None) -> "pd.Series[str]":
    """The pseudonyms of these people; those without one get the next ones, in random order. Writes nothing.

    So the list of people, often alphabetical, does not tell who is who; made-up addresses keep its order. People keep
    the pseudonym that they have in the study `before`, unless another person has it.
    """
    known = {account.email: account.annotator for account in read_accounts(root, study)}
    earlier = {account.email: account.annotator for account in read_accounts(root, before)} if before else {}
    for email in emails[emails.isin(list(earlier))]:
        if earlier[email] not in known.values():
            known.setdefault(email, earlier[email])
    number = 0
    for email in _shuffle(emails[~emails.isin(list(known))]):
        number = max(number, len(known)) + 1
        while _pseudonym(number) in known.values():
            number += 1
        known[email] = _pseudonym(number)
    return emails.map(known)


def enrol(root: Path, study: str, people: pd.DataFrame) -> None:
    """Add accounts to the study's file for these people (email, annotator) unless they have one.

    People with an account in another study of the store keep its password: one person, one sign-in.
    """
    known = {account.annotator: account for account in read_accounts(root, study)}
    others = (account for other in _studies(root) for account in read_accounts(root, other))
    passwords = {account.email: account.password for account in others}
    for email, annotator in zip(people["email"], people["annotator"], strict=True):
        password = passwords.get(email) or secrets.token_urlsafe(12)
        known.setdefault(annotator, Account(annotator=annotator, email=email, password=password))
    _write_accounts(root, study, known.values())


def elsewhere(root: Path, study: str, email: str) -> bool:
    """Whether the person takes part in another study of the store."""
    others = [other for other in _studies(root) if other != study]
    return any(account.email == email for other in others for account in read_accounts(root, other))


def forget(root: Path, study: str, annotator: str) -> None:
    """Replace the person's address and password; the pseudonym is never given to another person."""
    withdrawn = Account(
        annotator=annotator, email=f"{annotator}@withdrawn{NOBODYS_ADDRESS}", password=secrets.token_urlsafe(12)
    )
    others = [account for account in read_accounts(root, study) if account.annotator != annotator]
    _write_accounts(root, study, [*others, withdrawn])


def read_accounts(root: Path, study: str) -> list[Account]:
    """The study's accounts, sorted by pseudonym; none where it was never planned."""
    path = accounts_path(root, study)
    if not path.exists():
        return []
    what, remedy = "the accounts of a campaign", "put back the file that the campaign was planned with"
    content = read_json(path, what, remedy)
    try:
        return [Account(annotator=name, **content[name]) for name in sorted(content)]
    except (AttributeError, IndexError, TypeError) as fault:
        raise InputError(path, expected=what, found="other values", remedy=remedy) from fault


def accounts_path(root: Path, study: str) -> Path:
    """The file of e-mail addresses and passwords (mode 0600)."""
    return root / "private" / f"{study}-accounts.json"


def campaign_key(root: Path, campaign: str) -> bytes:
    """The secret that makes the campaign's ids opaque; created on first use, then always the same."""
    return own_key(root / "private" / f"{campaign}.key")


def _write_accounts(root: Path, study: str, accounts: Iterable[Account]) -> None:
    content = {account.annotator: {"email": account.email, "password": account.password} for account in accounts}
    write_whole(accounts_path(root, study), json.dumps(content, indent=1), mode=PRIVATE)


def _shuffle(emails: Iterable[str]) -> list[str]:
    """The made-up addresses in their order, then the others in one that no seed repeats."""
    people = sorted(emails, key=lambda email: not email.endswith(NOBODYS_ADDRESS))
    n_unnamed = sum(email.endswith(NOBODYS_ADDRESS) for email in people)
    return people[:n_unnamed] + secrets.SystemRandom().sample(people[n_unnamed:], len(people) - n_unnamed)


def _pseudonym(number: int) -> str:
    return f"a{number:02d}"


def _studies(root: Path) -> list[str]:
    ending = "-accounts.json"
    return sorted(path.name.removesuffix(ending) for path in (root / "private").glob(f"*{ending}"))
