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
    """The record that somebody accepted a document: written by that person's own session only, never changed."""

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
