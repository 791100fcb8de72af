"""The gate's own rows: texts that people accept, the projects that ask for them, and who accepted which, when."""

from django.conf import settings
from django.db import models
from django.utils import timezone


class Document(models.Model):
    """A text that stands for ever under its key: another wording is another document."""

    key = models.CharField(max_length=64, primary_key=True)
    kind = models.CharField(max_length=16)
    version = models.CharField(max_length=64)
    reference = models.TextField(blank=True)
    text = models.TextField()

    class Meta:
        """The app's name, which is also the tables' prefix."""

        app_label = "parade_gate"


class Requirement(models.Model):
    """A document without which a project is open to nobody."""

    project = models.ForeignKey("projects.Project", on_delete=models.CASCADE, related_name="+")
    document = models.ForeignKey(Document, on_delete=models.PROTECT, related_name="+")

    class Meta:
        """Each document once a project."""

        app_label = "parade_gate"
        unique_together = (("project", "document"),)


class Acceptance(models.Model):
    """That somebody accepted a document: made by the session of that person alone, never changed."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    document = models.ForeignKey(Document, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        """Each document once a person."""

        app_label = "parade_gate"
        unique_together = (("user", "document"),)
