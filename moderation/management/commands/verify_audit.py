"""Verify that nobody rewrote the audit log."""

import re
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from moderation.operations.audit import chain


class Command(BaseCommand):
    """Walk the hash chain; exit code 1 names the first broken entry."""

    help = "Verify the audit log's hash chain, and that it still contains a head that was published before."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--head", help="NUMBER:HASH as logged (audit_sealed) or printed here before")

    def handle(self, *_: Any, head: str | None, **__: Any) -> None:
        try:
            latest = chain.verify(published=_head(head) if head else None)
        except chain.Broken as broken:
            raise CommandError(
                f"The audit log does not hold. {broken} Keep the database as it is and look for who had"
                " superuser rights; docs/operators-guide.md says how to go on."
            ) from broken
        waiting = chain.count_unsealed()
        self.stdout.write(f"The audit log holds: {latest.number} entries in the chain, {waiting} not yet.")
        self.stdout.write(f"head {latest}")
        if head is None:
            sys.stderr.write("Compare with a head from the log or an earlier run: --head NUMBER:HASH\n")


def _head(text: str) -> chain.Head:
    if not re.fullmatch(r"\d{1,18}:[0-9a-f]{64}", text):
        raise CommandError(f"--head: {text!r} is not NUMBER:HASH with a hash of 64 hex digits.")
    number, _, digest = text.partition(":")
    return chain.Head(number=int(number), hash=digest)
