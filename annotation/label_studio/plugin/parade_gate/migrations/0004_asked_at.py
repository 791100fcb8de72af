"""One check of a seat is with the judge at a time."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """Add the time since when the judge has been asked."""

    dependencies = (("parade_gate", "0003_game"),)
    operations = (migrations.AddField("Seat", "asked_at", models.DateTimeField(null=True)),)
