"""What the links and media of a post lead to: answer format. What is not known is null."""

from collections.abc import Mapping, Sequence
from typing import Any

from rest_framework import serializers

from moderation.api.serializers.answers import DescribedSerializer
from moderation.api.serializers.transcripts import SaidSerializer, said
from moderation.models.evidence import EvidenceRole, EvidenceState
from moderation.queries.evidence import findings, transcripts
from moderation.queries.evidence.findings import Finding
from moderation.queries.wire import instant

MOST_TEXT = 5_000
"""Characters of a text that are answered: a post leads to up to thirty pages, of which more is stored."""


class EvidenceStepSerializer(serializers.Serializer[Any]):
    """An address on the way from a link to what it leads to."""

    url = serializers.CharField()
    status = serializers.IntegerField(
        allow_null=True, help_text="Null where no answer came, and of a picture that came with the post."
    )


class EvidenceFormSerializer(serializers.Serializer[Any]):
    """A form of the page."""

    action_host = serializers.CharField(help_text="Where it posts; empty if that is no web address.")
    posts_elsewhere = serializers.BooleanField()
    asks_password = serializers.BooleanField()


class EvidenceFileSerializer(serializers.Serializer[Any]):
    """A file that is offered."""

    url = serializers.CharField(help_text="Empty where the page carries the file itself.")
    name = serializers.CharField()


class EvidenceCodeSerializer(serializers.Serializer[Any]):
    """A QR or bar code in a picture."""

    format = serializers.CharField(help_text='Such as "QRCode".')
    text = serializers.CharField(help_text="What it says, at most 2,048 characters.")
    host = serializers.CharField(
        allow_null=True, help_text="Where its address ended; null if it says none, or none was reached."
    )


class EvidencePictureSerializer(serializers.Serializer[Any]):
    """What is known of a picture beside its text."""

    format = serializers.CharField(help_text='Such as "PNG".')
    width = serializers.IntegerField(help_text="In pixels, turned as its file asks.")
    height = serializers.IntegerField()
    is_animated = serializers.BooleanField(help_text="Then its first frame was read.")
    has_thumbnail = serializers.BooleanField(help_text="Whether moderators see a small copy of it.")
    codes = EvidenceCodeSerializer(many=True)


class EvidenceSerializer(DescribedSerializer):
    """What one address of the post led to."""

    url = serializers.CharField()
    role = serializers.ChoiceField(
        choices=EvidenceRole.values,
        help_text=(
            "preview: the preview picture of a page; code: an address in a QR or bar code; browser: a link"
            " as a browser is shown it."
        ),
    )
    state = serializers.ChoiceField(
        choices=EvidenceState.values,
        help_text=(
            "waiting and fetching are still to come. too_large: its beginning was read; no_page: an error was"
            " answered; wrong_kind: a file, named under downloads; refused: a private or impossible address;"
            " disallowed: by robots.txt; not_installed: nothing here reads this kind."
        ),
    )
    fetched_at = serializers.DateTimeField(allow_null=True)
    chain = EvidenceStepSerializer(many=True)
    final_host = serializers.CharField()
    final_domain = serializers.CharField(help_text="Registrable domain; empty for an address.")
    title = serializers.CharField(allow_null=True)
    article = serializers.CharField(
        allow_null=True, help_text=f"The page's main text, at most {MOST_TEXT:,} characters."
    )
    text = serializers.CharField(
        allow_null=True,
        help_text=(
            "All that can be seen on the page, read in the picture or heard in the recording, at most"
            f" {MOST_TEXT:,} characters; empty if there is none, null if that is unknown."
        ),
    )
    is_cut = serializers.BooleanField(
        allow_null=True, help_text="Whether article or text is only the beginning; null if both are."
    )
    forms = EvidenceFormSerializer(many=True, allow_null=True)
    downloads = EvidenceFileSerializer(many=True, allow_null=True)
    differs_for_browser = serializers.BooleanField(
        allow_null=True,
        help_text="Whether a browser is shown another page than a program; null if nobody looked twice.",
    )
    differs_from_preview = serializers.BooleanField(
        allow_null=True,
        help_text="Whether the page says nothing of what its OpenGraph title and description promise; null "
        "if too little can be read.",
    )
    picture = EvidencePictureSerializer(allow_null=True, help_text="Null of what is no picture.")
    transcript = SaidSerializer(
        allow_null=True, help_text="What an engine heard; null of what is no recording, and of one not heard."
    )


def evidence(found: Sequence[Finding]) -> list[dict[str, Any]]:
    """Return what the addresses of a revision led to."""
    hosts = findings.hosts(found)
    return [_one(finding, hosts=hosts) for finding in found]


def _one(finding: Finding, *, hosts: Mapping[str, str]) -> dict[str, Any]:
    row, facts = finding.row, finding.facts
    article, text = facts.get("article"), None if finding.is_unread else facts.get("text")
    known = [words for words in (article, text) if words is not None]
    heard = transcripts.heard(facts)
    return {
        "url": row.url,
        "role": finding.role,
        "state": row.state,
        "fetched_at": instant(row.fetched_at) if row.fetched_at else None,
        "chain": row.chain,
        "final_host": row.final_host,
        "final_domain": row.final_domain,
        "title": facts.get("title"),
        "article": article and article[:MOST_TEXT],
        "text": text and text[:MOST_TEXT],
        "is_cut": any(len(words) > MOST_TEXT for words in known) or bool(facts.get("is_cut"))
        if known
        else None,
        "forms": facts.get("forms"),
        "downloads": facts.get("downloads"),
        "differs_for_browser": finding.differs_for_browser,
        "differs_from_preview": finding.differs_from_preview,
        "picture": _picture(finding, hosts=hosts) if "format" in facts else None,
        "transcript": said(heard) if heard else None,
    }


def _picture(finding: Finding, *, hosts: Mapping[str, str]) -> dict[str, Any]:
    facts = finding.facts
    return {
        **{name: facts[name] for name in ("format", "width", "height", "is_animated")},
        "has_thumbnail": bool(finding.row.thumbnail),
        "codes": [
            {**code, "host": findings.host_behind(code["text"], hosts) or None} for code in finding.codes
        ],
    }
