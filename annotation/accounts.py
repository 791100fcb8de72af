"""Who takes part, under which pseudonym, and the secrets of a campaign: its key and the sign-in data, in 0600 files."""

import json
import os
import re
import secrets
from pathlib import Path

import pandas as pd

from annotation.label_studio.client import Account
from data.errors import InputError

COLUMNS = ("email", "role", "level", "areas", "quota")
"""Of a file of annotators; only `email` must be there."""

PILOT, CONTROL = ARMS = ("-pilot", "-control")
"""Endings of the names of campaigns that belong to another one: they share its people, accounts and documents."""

WORKING_ROLES = ("expert", "senior", "simulated")
"""Whose ratings become labels; non-experts are recorded and get no work yet."""

JOINING_ROLES = ("expert", "senior", "non_expert")
NOBODYS_ADDRESS = ".parade.invalid"
"""The ending of the addresses that `plan --annotators NUMBER` makes: no person reads them."""

EMAIL = re.compile(r"[^@\s,;]+@[^@\s,;]+\.[^@\s,;]+")


def read_people(path: Path) -> pd.DataFrame:
    """The people of a CSV file with the columns email, role, level, areas, quota, in the file's order.

    Emails are lower-cased; an empty role is `expert`, an empty quota null (no limit). Raises InputError that names
    the line for anything else than one e-mail address, a known role and a whole quota in each.
    """
    try:
        people = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8", skipinitialspace=True)
    except (OSError, ValueError) as fault:
        raise _unusable(path, "a CSV file of annotators", str(fault)) from fault
    unknown = [column for column in people.columns if column not in COLUMNS]
    if "email" not in people.columns or unknown or people.empty:
        found = f"{len(people)} rows with the columns " + ", ".join(people.columns)
        raise _unusable(path, "rows with the column email and none but " + ", ".join(COLUMNS), found)
    given = people.reindex(columns=list(COLUMNS), fill_value="")
    people = pd.DataFrame({column: given[column].str.strip() for column in COLUMNS})
    people["email"], people["role"] = people["email"].str.lower(), people["role"].replace("", "expert")
    _check(path, "one e-mail address", people["email"], people["email"].str.fullmatch(EMAIL.pattern))
    _check(path, "each e-mail address once", people["email"], ~people["email"].duplicated())
    _check(path, "a role of " + ", ".join(JOINING_ROLES), people["role"], people["role"].isin(JOINING_ROLES))
    _check(path, "a whole number or nothing as quota", people["quota"], people["quota"].str.fullmatch(r"\d{0,9}"))
    people["quota"] = pd.to_numeric(people["quota"]).astype("Int64")
    return people.assign(level=people["level"].replace("", None), areas=people["areas"].replace("", None))


def study(campaign: str) -> str:
    """The campaign that a pilot or a control arm belongs to; any other is its own."""
    return next((campaign.removesuffix(arm) for arm in ARMS if campaign.endswith(arm)), campaign)


def unnamed_people(n: int, campaign: str) -> pd.DataFrame:
    """`n` experts without limits and with addresses that nobody owns, in the form of `read_people`."""
    if n < 1:
        raise InputError("--annotators", expected="at least 1", found=str(n), remedy="give a number or a file")
    host = campaign if campaign.endswith(CONTROL) else study(campaign)
    emails = [f"{_pseudonym(number)}@{host}{NOBODYS_ADDRESS}" for number in range(1, n + 1)]
    people = pd.DataFrame({"email": emails, "role": "expert", "level": None, "areas": None})
    return people.assign(quota=pd.Series(pd.NA, index=people.index, dtype="Int64"))


def enrol(root: Path, campaign: str, emails: list[str]) -> list[Account]:
    """The accounts of these people in their order; who has none yet gets the next pseudonym and a password.

    Who has an account in another campaign of the store keeps that password: one person, one sign-in. Writes nothing.
    """
    accounts = {account.email: account for account in read_accounts(root, campaign)}
    passwords = {one.email: one.password for other in _campaigns(root) for one in read_accounts(root, other)}
    for email in emails:
        password = passwords.get(email) or secrets.token_urlsafe(12)
        fresh = Account(annotator=_pseudonym(len(accounts) + 1), email=email, password=password)
        accounts.setdefault(email, fresh)
    return [accounts[email] for email in emails]


def keep_accounts(root: Path, campaign: str, accounts: list[Account]) -> None:
    """Adds the accounts to the campaign's file, which nobody else can read."""
    old, everybody = read_accounts(root, campaign), {}
    for one in [*old, *accounts]:
        everybody[one.annotator] = {"email": one.email, "password": one.password}
    if len(everybody) > len(old):
        _write_secret(accounts_path(root, campaign), json.dumps(everybody, indent=1).encode())


def elsewhere(root: Path, campaign: str, email: str) -> bool:
    """Whether the person takes part in another campaign of the store."""
    others = [other for other in _campaigns(root) if other != study(campaign)]
    return any(one.email == email for other in others for one in read_accounts(root, other))


def forget(root: Path, campaign: str, annotator: str) -> None:
    """Replaces the person's address and password; the pseudonym stays taken."""
    known = {one.annotator: {"email": one.email, "password": one.password} for one in read_accounts(root, campaign)}
    known[annotator] = {"email": f"{annotator}@withdrawn{NOBODYS_ADDRESS}", "password": secrets.token_urlsafe(12)}
    _write_secret(accounts_path(root, campaign), json.dumps(known, indent=1).encode())


def read_accounts(root: Path, campaign: str) -> list[Account]:
    """The campaign's accounts by pseudonym; none where it was never planned."""
    path = accounts_path(root, campaign)
    content = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return [Account(annotator=name, **content[name]) for name in sorted(content)]


def accounts_path(root: Path, campaign: str) -> Path:
    """Where the e-mail addresses and passwords lie (0600)."""
    return root / "private" / f"{study(campaign)}-accounts.json"


def campaign_key(root: Path, campaign: str) -> bytes:
    """The secret that makes the campaign's ids opaque; made on first use, then always the same."""
    path = root / "private" / f"{campaign}.key"
    if not path.exists():
        _write_secret(path, secrets.token_bytes(32))
    return path.read_bytes()


def _pseudonym(number: int) -> str:
    return f"a{number:02d}"


def _campaigns(root: Path) -> list[str]:
    ending = "-accounts.json"
    return sorted(path.name.removesuffix(ending) for path in (root / "private").glob(f"*{ending}"))


def _write_secret(path: Path, content: bytes) -> None:
    """Writes the file whole or not at all, readable by nobody else at any moment."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    part = path.with_name(path.name + ".part")
    part.unlink(missing_ok=True)
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


def _check(path: Path, expected: str, values: "pd.Series[str]", right: "pd.Series[bool]") -> None:
    wrong = values[~right.astype("bool")]
    if not wrong.empty:
        raise _unusable(f"{path}, line {int(wrong.index[0]) + 2}", expected, repr(wrong.iloc[0]))


def _unusable(where: object, expected: str, found: str) -> InputError:
    return InputError(where, expected=expected, found=found, remedy="mend the file and plan again")
