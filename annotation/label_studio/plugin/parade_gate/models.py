"""The gate's own tables: documents and who accepted them, closed accounts, open sessions."""

from django.conf import settings
from django.db import models
from django.utils import timezone


class Document(models.Model):
    """A text that never changes under its key: another wording is another document."""

    key = models.CharField(max_length=64, primary_key=True)
    kind = models.CharField(max_length=16)
    version = models.CharField(max_length=64)
    reference = models.TextField(blank=True)
    text = models.TextField()

    class Meta:
        """The name of the app, which is also the prefix of the tables."""

        app_label = "parade_gate"


class Requirement(models.Model):
    """A document that people have to accept before a project opens to them."""

    project = models.ForeignKey("projects.Project", on_delete=models.CASCADE, related_name="+")
    document = models.ForeignKey(Document, on_delete=models.PROTECT, related_name="+")

    class Meta:
        """Each document once per project."""

        app_label = "parade_gate"
        unique_together = (("project", "document"),)


class Acceptance(models.Model):
    """The record that a person accepted a document: written by that person's own session only, never changed."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    document = models.ForeignKey(Document, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        """Each document once per person."""

        app_label = "parade_gate"
        unique_together = (("user", "document"),)


class ClosedAccount(models.Model):
    """An account that is closed for good, whatever Label Studio writes into its own row of the user."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        """The name of the app."""

        app_label = "parade_gate"


class SignIn(models.Model):
    """An open session; signing out deletes it."""

    key = models.CharField(max_length=32, unique=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        """The name of the app."""

        app_label = "parade_gate"


class Attempt(models.Model):
    """An attempt to sign in that has not succeeded (yet); address and client are digests."""

    address = models.CharField(max_length=64)
    client = models.CharField(max_length=64)
    at = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        """The name of the app."""

        app_label = "parade_gate"


class Clock(models.Model):
    """The time since which a person may have worked on the next answer: the last answer, or the first task."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    since = models.DateTimeField(default=timezone.now)

    class Meta:
        """The name of the app."""

        app_label = "parade_gate"


class Claim(models.Model):
    """An answer for which a browser claimed more seconds than had passed."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    task = models.BigIntegerField()
    claimed = models.FloatField()
    possible = models.FloatField()
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        """The name of the app."""

        app_label = "parade_gate"


class Game(models.Model):
    """One round of a campaign's paraphrasing game; `spent` counts what was paid in it, in cents, and never falls."""

    campaign = models.CharField(max_length=64)
    round = models.IntegerField()
    scorer = models.CharField(max_length=200)
    rules = models.JSONField(default=dict)
    ends = models.DateTimeField(null=True)
    spent = models.IntegerField(default=0)

    class Meta:
        """Each round once."""

        app_label = "parade_gate"
        unique_together = (("campaign", "round"),)


class Sentence(models.Model):
    """A sentence that is played."""

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=64)
    text = models.TextField()
    entity = models.TextField(null=True)

    class Meta:
        """Each sentence once per game."""

        app_label = "parade_gate"
        unique_together = (("game", "key"),)


class Seat(models.Model):
    """A player's place in a game: whatever is written there goes with the project that it belongs to."""

    project = models.OneToOneField("projects.Project", on_delete=models.CASCADE, related_name="+")
    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    order = models.JSONField(default=list)
    since = models.DateTimeField(null=True)
    asked_at = models.DateTimeField(null=True)
    """When the judge was asked about a check of the seat that it has not answered yet."""

    class Meta:
        """The name of the app."""

        app_label = "parade_gate"


class Check(models.Model):
    """A sentence that a player checked: stored before it is judged, submitted at most once per seat and sentence."""

    key = models.CharField(max_length=32, unique=True)
    seat = models.ForeignKey(Seat, on_delete=models.CASCADE, related_name="+")
    sentence = models.ForeignKey(Sentence, on_delete=models.CASCADE, related_name="+")
    text = models.TextField()
    at = models.DateTimeField(default=timezone.now, db_index=True)
    seconds = models.FloatField(null=True)
    judged_at = models.DateTimeField(null=True)
    judgement = models.JSONField(null=True)
    submitted_at = models.DateTimeField(null=True)
    base = models.IntegerField(default=0)
    bonus = models.IntegerField(default=0)

    class Meta:
        """One submission per seat and sentence, whatever is sent twice."""

        app_label = "parade_gate"
        constraints = (
            models.UniqueConstraint(
                fields=["seat", "sentence"],
                condition=models.Q(submitted_at__isnull=False),
                name="parade_gate_one_submission",
            ),
        )
