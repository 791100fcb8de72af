"""The server's settings: Label Studio's, plus the gate, and a SQLite that makes writers wait for one another.

Label Studio reads and then writes in one transaction whenever it assigns the next task. SQLite refuses such a
transaction at once if another one has written in between, and the server then sleeps for seconds before it retries.
With IMMEDIATE, a transaction waits for its turn when it begins.

Python looks for garbage less often: a full search among the server's objects holds up every request for 0.1 seconds.
"""

import gc

import label_studio
from django.core.exceptions import ImproperlyConfigured

TESTED = "1.23.2"
"""The only version whose URL table the gate's rules were written for and tested against."""

if label_studio.__version__ != TESTED:
    raise ImproperlyConfigured(f"the gate is made for Label Studio {TESTED}, not {label_studio.__version__}")

from core.settings.base import *  # noqa: E402, F403

SENTRY_DSN = FRONTEND_SENTRY_DSN = None  # read from this module during the next import

from core.settings.label_studio import *  # noqa: E402, F403
from core.settings.label_studio import DATABASES, DJANGO_DB, INSTALLED_APPS, LOGGING, MIDDLEWARE  # noqa: E402

SENTRY_DSN = FRONTEND_SENTRY_DSN = None
if DJANGO_DB == "sqlite":
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 60,
        "init_command": "PRAGMA secure_delete=ON; PRAGMA synchronous=FULL",  # a power failure loses no label
    }
DATABASES["default"]["CONN_MAX_AGE"] = 60
"""Seconds; otherwise every request opens a connection, and with SQLite the last one to close rewrites the file."""

INSTALLED_APPS.append("parade_gate")
MIDDLEWARE.insert(
    MIDDLEWARE.index("django.contrib.auth.middleware.AuthenticationMiddleware") + 1, "parade_gate.middleware.Gate"
)
CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
LOGGING["handlers"]["console"]["class"] = "parade_gate.log.RotatingHandler"
for logger in LOGGING["loggers"].values():
    logger.pop("handlers", None)  # they propagate to the root's handler: each line once

gc.set_threshold(100_000, 50, 100)
