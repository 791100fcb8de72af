"""Closed accounts, open sessions, attempts to sign in, and the clock of each annotator."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


def _id() -> tuple[str, models.Field]:
    return "id", models.AutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")


def _to(model: str, field: type[models.ForeignKey] = models.ForeignKey) -> models.ForeignKey:
    return field(model, on_delete=django.db.models.deletion.CASCADE, related_name="+")


def _time(*, index: bool = False) -> models.Field:
    return models.DateTimeField(default=django.utils.timezone.now, db_index=index)


USER, ONE = settings.AUTH_USER_MODEL, models.OneToOneField


class Migration(migrations.Migration):
    """Create the five tables."""

    dependencies = (("parade_gate", "0001_agreements"),)
    operations = (
        migrations.CreateModel("ClosedAccount", [_id(), ("user", _to(USER, ONE)), ("at", _time())]),
        migrations.CreateModel(
            "SignIn",
            [_id(), ("key", models.CharField(max_length=32, unique=True)), ("user", _to(USER)), ("at", _time())],
        ),
        migrations.CreateModel(
            "Attempt",
            [
                _id(),
                ("address", models.CharField(max_length=64)),
                ("client", models.CharField(max_length=64)),
                ("at", _time(index=True)),
            ],
        ),
        migrations.CreateModel("Clock", [_id(), ("user", _to(USER, ONE)), ("since", _time())]),
        migrations.CreateModel(
            "Claim",
            [
                _id(),
                ("user", _to(USER)),
                ("task", models.BigIntegerField()),
                ("claimed", models.FloatField()),
                ("possible", models.FloatField()),
                ("at", _time()),
            ],
        ),
    )
