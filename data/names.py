"""Names that a command may write under: none of another command's pairs, and none of raters' labels."""

from data.errors import InputError
from data.store import Store
from data.tables.campaign import Assignments
from data.tables.pairs import Pairs


def demand_own_generator(store: Store, flag: str, name: str, stage: str) -> None:
    """Raise InputError where the name is empty, or names pairs that another stage made and this one would replace."""
    if not name.strip():
        raise InputError(flag, expected="a name", found=repr(name), remedy="leave it out")
    maker = (store.manifest(Pairs, generator=name) or {}).get("stage", stage)
    if maker != stage:
        raise InputError(
            flag,
            expected="a name of its own, since a run replaces what stands under it",
            found=f"{name!r}, pairs made by {maker}",
            remedy="give another name",
        )


def demand_own_labels(store: Store, name: str) -> None:
    """Raise InputError where the name is that of a campaign in which people rate."""
    if not name.strip():
        raise InputError("--labels", expected="a name", found=repr(name), remedy="leave it out")
    if len(store.read(Assignments, ["assignment_id"], campaign=name)):
        raise InputError(
            "--labels", expected="a name of its own", found=f"{name!r}, a campaign of raters", remedy="give another"
        )
