"""Names that a command may write under: none of another command's pairs, and none of raters' labels."""

from data.console.errors import InputError
from data.contract.tables.campaign import Assignments
from data.contract.tables.pairs import Pairs
from data.storage.store import Store


def require_own_generator(store: Store, flag: str, name: str, stage: str, sample_of: str | None = None) -> None:
    """Raise InputError where the name is empty, or names other pairs, which this stage would replace.

    Others are those that another stage made, and those that are no sample of `sample_of` (None: a sample).
    """
    if not name.strip():
        raise InputError(flag, expected="a name", found=repr(name), remedy="leave it out")
    if set(name) & set("/\\\0") or name.startswith("."):
        raise InputError(flag, expected="a name that a file can have", found=repr(name), remedy="give another name")
    maker = (store.manifest(Pairs, generator=name) or {}).get("stage", stage)
    bases = store.distinct(Pairs, "sample_of", generator=name)
    if maker != stage or bases - {sample_of}:
        kinds = [f"a sample of {base}" if base else "pairs" for base in bases - {sample_of}]
        raise InputError(
            flag,
            expected="a name of its own, since a run replaces what has this name",
            found=f"{name!r}, {' and '.join(kinds) or 'pairs'} made by {maker}",
            remedy="give another name",
        )


def require_same_labels(store: Store, name: str, labels: str) -> None:
    """Raise InputError where the generator's pairs have other labels, which would be left without pairs."""
    made_for = (store.manifest(Pairs, generator=name) or {}).get("config", {}).get("labels", labels)
    if made_for != labels:
        raise InputError(
            "--generator",
            expected=f"a name of its own for the pairs of the labels {labels!r}",
            found=f"{name!r}, the pairs of {made_for!r}",
            remedy=f"give another name, such as {name}-2",
        )


def require_own_labels(store: Store, name: str) -> None:
    """Raise InputError where the name belongs to a campaign in which people rate."""
    if not name.strip():
        raise InputError("--labels", expected="a name", found=repr(name), remedy="leave it out")
    if len(store.read(Assignments, ["assignment_id"], campaign=name)):
        raise InputError(
            "--labels", expected="a name of its own", found=f"{name!r}, a campaign of raters", remedy="give another"
        )
