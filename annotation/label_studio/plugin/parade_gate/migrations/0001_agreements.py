"""Documents, the projects that require them, and acceptances."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


def _id() -> tuple[str, models.Field]:
    return "id", models.AutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")


def _to(model: str, on_delete: object) -> models.ForeignKey:
    return models.ForeignKey(model, on_delete=on_delete, related_name="+")


PROTECT, CASCADE = django.db.models.deletion.PROTECT, django.db.models.deletion.CASCADE


class Migration(migrations.Migration):
    """Create the three tables."""

    initial = True
    dependencies = (("projects", "__first__"), migrations.swappable_dependency(settings.AUTH_USER_MODEL))
    operations = (
        migrations.CreateModel(
            "Document",
            [
                ("key", models.CharField(max_length=64, primary_key=True, serialize=False)),
                ("kind", models.CharField(max_length=16)),
                ("version", models.CharField(max_length=64)),
                ("reference", models.TextField(blank=True)),
                ("text", models.TextField()),
            ],
        ),
        migrations.CreateModel(
            "Requirement",
            [
                _id(),
                ("project", _to("projects.Project", CASCADE)),
                ("document", _to("parade_gate.Document", PROTECT)),
            ],
            options={"unique_together": {("project", "document")}},
        ),
        migrations.CreateModel(
            "Acceptance",
            [
                _id(),
                ("user", _to(settings.AUTH_USER_MODEL, CASCADE)),
                ("document", _to("parade_gate.Document", PROTECT)),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={"unique_together": {("user", "document")}},
        ),
    )
