"""The paraphrasing game: its rounds, the players' seats, the sentences, and every check."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


def _id() -> tuple[str, models.Field]:
    return "id", models.AutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")


def _to(model: str, field: type[models.ForeignKey] = models.ForeignKey) -> models.ForeignKey:
    return field(model, on_delete=django.db.models.deletion.CASCADE, related_name="+")


def _count() -> models.Field:
    return models.IntegerField(default=0)


class Migration(migrations.Migration):
    """Create the four tables."""

    dependencies = (("parade_gate", "0002_accounts"), ("projects", "0001_squashed_0065_auto_20210223_2014"))
    operations = (
        migrations.CreateModel(
            "Game",
            [
                _id(),
                ("campaign", models.CharField(max_length=64)),
                ("round", models.IntegerField()),
                ("scorer", models.CharField(max_length=200)),
                ("rules", models.JSONField(default=dict)),
                ("ends", models.DateTimeField(null=True)),
                ("spent", _count()),
            ],
            options={"unique_together": {("campaign", "round")}},
        ),
        migrations.CreateModel(
            "Sentence",
            [
                _id(),
                ("game", _to("parade_gate.game")),
                ("key", models.CharField(max_length=64)),
                ("text", models.TextField()),
                ("entity", models.TextField(null=True)),
            ],
            options={"unique_together": {("game", "key")}},
        ),
        migrations.CreateModel(
            "Seat",
            [
                _id(),
                ("project", _to("projects.project", models.OneToOneField)),
                ("game", _to("parade_gate.game")),
                ("user", _to(settings.AUTH_USER_MODEL)),
                ("order", models.JSONField(default=list)),
                ("since", models.DateTimeField(null=True)),
            ],
        ),
        migrations.CreateModel(
            "Check",
            [
                _id(),
                ("key", models.CharField(max_length=32, unique=True)),
                ("seat", _to("parade_gate.seat")),
                ("sentence", _to("parade_gate.sentence")),
                ("text", models.TextField()),
                ("at", models.DateTimeField(default=django.utils.timezone.now, db_index=True)),
                ("seconds", models.FloatField(null=True)),
                ("judged_at", models.DateTimeField(null=True)),
                ("judgement", models.JSONField(null=True)),
                ("submitted_at", models.DateTimeField(null=True)),
                ("base", _count()),
                ("bonus", _count()),
            ],
        ),
        migrations.AddConstraint(
            "Check",
            models.UniqueConstraint(
                fields=["seat", "sentence"],
                condition=models.Q(submitted_at__isnull=False),
                name="parade_gate_one_submission",
            ),
        ),
    )
