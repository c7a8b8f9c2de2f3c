"""When each sweep last ran and each process last worked, so that a stopped one is noticed."""

from django.db import models


class SweepRun(models.Model):
    """The newest run of one sweep, running while `ended_at` is empty; one that failed did not succeed."""

    sweep = models.CharField(max_length=40, primary_key=True)
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    succeeded_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("sweep",)


class Heartbeat(models.Model):
    """When a process last worked: one that takes messages from a queue, `beat` or `web`."""

    sender = models.CharField(max_length=40, primary_key=True)
    at = models.DateTimeField()
    """By the database's clock."""

    class Meta:
        ordering = ("sender",)
