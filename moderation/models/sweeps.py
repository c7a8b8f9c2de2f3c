"""When each sweep last ran: the row by which a sweep that stopped is noticed."""

from __future__ import annotations

from django.db import models


class SweepRun(models.Model):
    """The newest run of one sweep, running while `ended_at` is empty; one that failed did not succeed."""

    sweep = models.CharField(max_length=40, primary_key=True)
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    succeeded_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("sweep",)

    def __str__(self) -> str:
        return self.sweep
