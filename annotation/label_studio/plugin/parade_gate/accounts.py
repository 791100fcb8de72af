"""Who is signed in: open sessions, and accounts that are closed for good, in the gate's own tables.

Label Studio keeps a session in a signed cookie, which a copy outlives, and writes whole rows of its users, so that an
answer on its way can undo the closing of an account. Neither of them decides here.
"""

import secrets

from django.contrib.auth import get_user_model, logout
from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX, make_password
from django.db.models import CharField, F, Q, Value
from django.db.models.functions import Cast, Concat
from django.http import HttpRequest
from projects.models import ProjectMember

from parade_gate.models import Claim, Clock, ClosedAccount, SignIn

SESSION = "parade_sign_in"


def is_closed(user) -> bool:
    """Whether the account is closed for good."""
    return ClosedAccount.objects.filter(user=user).exists()


def close(user) -> None:
    """Close the account for good, end its sessions, and forget address, names and times; of earlier closings too."""
    ClosedAccount.objects.get_or_create(user=user)
    for table in (SignIn, Clock, Claim):
        table.objects.filter(user=user).delete()
    closed = Q(id__in=ClosedAccount.objects.values("user"))
    before = Q(is_active=False, is_staff=False, password__startswith=UNUSABLE_PASSWORD_PREFIX)
    name = Concat(Value("closed-"), Cast("id", CharField()))
    get_user_model().objects.filter(closed | before).update(
        is_active=False,
        password=make_password(None),
        email=Concat(name, Value("@withdrawn.parade.invalid")),
        username=name,
        **dict.fromkeys(("first_name", "last_name", "phone"), ""),
        **dict.fromkeys(("last_activity", "activity_at"), F("date_joined")),
        last_login=None,
    )


def begin_session(request: HttpRequest) -> bool:
    """Record a sign-in; False, and no one is signed in, if the account is closed."""
    if is_closed(request.user):
        logout(request)
        return False
    request.session[SESSION] = secrets.token_hex(16)
    SignIn.objects.create(key=request.session[SESSION], user=request.user)
    return True


def has_session(request: HttpRequest) -> bool:
    """Whether the session of the request has begun here, has not been ended, and belongs to an open account."""
    key = request.session.get(SESSION, "")
    return SignIn.objects.filter(key=key, user=request.user).exists() and not is_closed(request.user)


def end_session(request: HttpRequest) -> None:
    """End the session of the request: a copy of its cookie is worth nothing from now on."""
    SignIn.objects.filter(key=request.session.get(SESSION, "")).delete()


def lock_memberships(which: Q) -> None:
    """Wait for transactions that change these memberships, and let none change them before this one ends.

    PostgreSQL locks the rows, in one order for all; with SQLite a transaction is alone from its beginning.
    """
    list(ProjectMember.objects.select_for_update().filter(which).order_by("id").values_list("id"))
