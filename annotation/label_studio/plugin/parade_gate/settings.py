"""The server's settings: those of Label Studio, with the gate, and a SQLite that makes writers wait for one another.

Label Studio reads and then writes in one transaction wherever it gives out the next task. SQLite refuses such a
transaction at once if another one wrote in between, and the server then sleeps for seconds before it tries again.
With IMMEDIATE a transaction takes its turn when it begins.

PARADE_QUICK=1 does not wait for the disk at each of the thirty commits that a label takes: a killed server loses
nothing, a power cut may lose the last labels.
"""

import os
from pathlib import Path

import label_studio
from django.core.exceptions import ImproperlyConfigured

PROBED = "1.23.2"
"""The one version whose URL table the gate's rules were written for and probed against."""

if label_studio.__version__ != PROBED:
    raise ImproperlyConfigured(f"the gate knows Label Studio {PROBED}, not {label_studio.__version__}")

from core.settings.base import *  # noqa: E402, F403

SENTRY_DSN = FRONTEND_SENTRY_DSN = None  # read from this module while the next line still imports

from core.settings.label_studio import *  # noqa: E402, F403
from core.settings.label_studio import BASE_DATA_DIR, DATABASES, DJANGO_DB, INSTALLED_APPS, MIDDLEWARE  # noqa: E402

SENTRY_DSN = FRONTEND_SENTRY_DSN = None
if DJANGO_DB == "sqlite":
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 60,
        "init_command": "PRAGMA secure_delete=ON; PRAGMA synchronous="
        + ("NORMAL" if os.environ.get("PARADE_QUICK") else "FULL"),
    }

else:
    DATABASES["default"]["CONN_MAX_AGE"] = 60  # else every request signs in to the database anew

INSTALLED_APPS.append("parade_gate")
MIDDLEWARE.insert(
    MIDDLEWARE.index("django.contrib.auth.middleware.AuthenticationMiddleware") + 1, "parade_gate.middleware.Gate"
)
CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
    "attempts": {
        "BACKEND": "django.core.cache.backends.filebased.FileBasedCache",  # shared by all workers
        "LOCATION": str(Path(BASE_DATA_DIR) / "attempts"),
    },
}
