"""The gate's own tables: texts that people accept, the projects that require them, and who accepted which when."""

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
