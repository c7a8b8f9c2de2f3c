"""Every field of the API and of the desk filled with a word of its own, so that it can be looked for."""

from __future__ import annotations

import base64
import hashlib
import json
import uuid
from datetime import timedelta
from typing import Any

from django.test import Client
from django.utils import timezone

from moderation.models import (
    Author,
    BlindReview,
    Case,
    Decision,
    GoldenItem,
    Platform,
    Post,
    ScoringJob,
    User,
)
from moderation.models.blind_reviews import BlindCause
from moderation.models.users import Role
from moderation.operations.scoring import score
from tests.moderation.api.conftest import client_of
from tests.moderation.operations.campaigns.campaign_posts import CITIES, TEXT, campaign_of

RUN = uuid.uuid4().hex


def word(field: str) -> str:
    """Return the mark of a field: a word that stands nowhere else, and that every field takes."""
    return "zq" + hashlib.sha256(f"{RUN}{field}".encode()).hexdigest()[:12]


AUTHOR = word("author/external_id")
IP = "198.51.100.77"


def post_of(operation: str, number: int) -> dict[str, Any]:
    """Return a post whose every field is marked."""
    text = TEXT.format(city=CITIES[number % len(CITIES)], number=number)
    return {
        "external_id": f"{RUN}-{number}",
        "text": f"{text} {word(f'{operation}/text')}",
        "posted_at": "2026-02-01T10:00:00Z",
        "language": "en",
        "author": {
            "external_id": AUTHOR,
            "display_name": word("author/display_name"),
            "email_domain": f"{word(f'{operation}/author/email_domain')}.example",
        },
        "parent": {
            "external_id": word(f"{operation}/parent/external_id"),
            "text": word(f"{operation}/parent/text"),
            "author": {"external_id": AUTHOR, "display_name": word("author/display_name")},
        },
        "ip": IP,
        "user_agent": word(f"{operation}/user_agent"),
        "links": [f"https://known.example/{word(f'{operation}/links/*')}"],
        "media_urls": [f"https://known.example/{word(f'{operation}/media_urls/*')}"],
        "pictures": [base64.b64encode(word(f"{operation}/pictures/*").encode()).decode()],
        "transcripts": [
            {
                "captions": "WEBVTT\n\n00:01.000 --> 00:04.000\n"
                + word(f"{operation}/transcripts/*/captions"),
                "language": "en",
                "source": word(f"{operation}/transcripts/*/source"),
            }
        ],
        "journey": [{"name": word(f"{operation}/journey/*/name"), "at_ms": 0}],
    }


def account() -> dict[str, Any]:
    """Return a complaint about an account whose every field is marked."""
    marks = {name: word(f"send_complaint/account/{name}") for name in ("bio", "links/*", "picture")}
    field = {name: word(f"send_complaint/account/fields/*/{name}") for name in ("name", "value")}
    return {
        "account": {
            "external_id": AUTHOR,
            "display_name": word("author/display_name"),
            "email_domain": f"{word('send_complaint/account/email_domain')}.example",
            "bio": marks["bio"],
            "fields": [field],
            "links": [f"https://known.example/{marks['links/*']}"],
            "picture": f"https://known.example/{marks['picture']}",
        },
        "reporter": {"external_id": AUTHOR},
        "reason": "spam",
        "reported_at": "2026-02-01T10:00:00Z",
    }


class Drive:
    """Sends every marked field through the API and the desk."""

    def __init__(self, platform: Platform, lead: User) -> None:
        self.platform = platform
        self.api = client_of(platform, lead, at=timezone.now())
        self.desk = Client()
        self.desk.force_login(lead)
        self.replays: list[tuple[str, dict[str, Any], str]] = []

    def send(self, path: str, body: dict[str, Any]) -> Any:
        """Post to the API under a key of its own, which is marked, too."""
        name = f"{word('Idempotency-Key')}-{len(self.replays)}"
        answer = self.api.post(f"/api/v1/{path}", body, HTTP_IDEMPOTENCY_KEY=name)
        assert answer.status_code < 300, (path, answer.status_code, answer.content)
        self.replays.append((path, body, name))
        return answer.json()

    def press(self, path: str, **fields: object) -> None:
        """Send a form of the desk."""
        answer = self.desk.post(path, fields)
        assert answer.status_code < 400, (path, answer.status_code, answer.content.decode()[-2000:])

    def all(self) -> None:
        """Go the whole way."""
        self.posts()
        cases = self.cases()
        self.around(cases)
        self.campaign()
        self.rules()

    def posts(self) -> None:
        self.send("posts", post_of("send_post", 0))
        self.send("scores", post_of("score_post", 1))
        more = "\n".join(json.dumps(post_of("send_posts", number)) for number in range(2, 6))
        answer = self.api.post("/api/v1/posts:bulk", more, content_type="application/x-ndjson")
        assert answer.json()["accepted"] == 4, answer.content
        self.send(
            "complaints",
            {
                "post": f"{RUN}-0",
                "reporter": {"external_id": AUTHOR},
                "reason": "spam",
                "reported_at": "2026-02-01T10:00:00Z",
                "external_id": word("send_complaint/external_id"),
                "note": word("send_complaint/note"),
            },
        )
        self.send("complaints", account())
        pending = list(ScoringJob.objects.exclude(state="scored").values_list("pk", flat=True))
        score.run(revision_ids=pending, at=timezone.now())

    def cases(self) -> list[Case]:
        """Decide three cases; the others wait for the campaign."""
        found = [Case.objects.get(post__external_id=f"{RUN}-{number}") for number in range(3)]
        for case in found:
            self.api.put(f"/api/v1/claims/{case.pk}")
        self.send(f"cases/{found[0].pk}/notes", {"note": word("note_case/note")})
        self.send(f"cases/{found[0].pk}/escalations", {"note": word("escalate_case/note")})
        self.press(f"/review/{found[1].pk}/escalate/", note=word("EscalateForm.note"))
        for case in found[:2]:
            self.api.put(f"/api/v1/claims/{case.pk}")
        self.send(
            f"cases/{found[0].pk}/decisions",
            {"verdict": "spam", "version": 1, "note": word("decide_case/note")},
        )
        self.press(f"/review/{found[2].pk}/note/", note=word("NoteForm.note"))
        # Goes with the author, not with the post: it carries the word of something else that does.
        self.press(f"/review/{found[2].pk}/author/note/", note=word("RuleForm.reason"))
        self.press(
            f"/review/{found[1].pk}/decide/", verdict="spam", case_version=1, note=word("DecideForm.note")
        )
        self.press(
            "/queue/decide/",
            case=f"{found[2].pk}:{found[2].version}",
            key=str(uuid.uuid4()),
            verdict="spam",
            note=word("BulkForm.note"),
        )
        return found

    def around(self, cases: list[Case]) -> None:
        first, second, third = (Decision.objects.get(case=case) for case in cases)
        self.disagreement(second)
        self.send(f"cases/{cases[0].pk}/second-reviews", {"note": word("ask_second_person/note")})
        self.send(
            "appeals",
            {
                "decision": str(second.pk),
                "external_id": word("file_appeal/external_id"),
                "reason": word("file_appeal/reason"),
            },
        )
        self.send(f"decisions/{first.pk}/reversal", {"reason": word("reverse_decision/reason")})
        self.press(f"/decisions/{third.pk}/correct/", verdict="not_spam", reason=word("CorrectForm.reason"))
        self.press(f"/decisions/{second.pk}/correct/", verdict="not_spam", reason=word("CorrectForm.reason"))

    def disagreement(self, decision: Decision) -> None:
        """Settle a blind review that contradicts a decision, as the third person."""
        one, other = (User.objects.create_user(name, role=Role.MODERATOR) for name in ("one", "other"))
        Decision.objects.filter(pk=decision.pk).update(decided_by=one)
        at = timezone.now() - timedelta(hours=1)
        review = BlindReview.objects.create(
            platform=self.platform, post=decision.post, decision=decision, case=decision.case,
            cause=BlindCause.SAMPLE, chance=0.5, drawn_at=at, verdict="not_spam",
            note=word("DecideForm.note"), answered_by=other, answered_at=at, is_disputed=True,
        )  # fmt: skip
        self.press(f"/second-reviews/{review.pk}/settle/", verdict="spam", note=word("SettleForm.note"))
        assert BlindReview.objects.get(pk=review.pk).settled_note
        self.press(f"/posts/{decision.post_id}/golden/", note=word("GoldenForm.note"))
        assert GoldenItem.objects.get().note

    def campaign(self) -> None:
        found = campaign_of(Post.objects.get(external_id=f"{RUN}-3"))
        assert found is not None
        shown = self.api.get(f"/api/v1/campaigns/{found.pk}/members").json()["data"]
        one = next(row["post"]["id"] for row in shown if row["place"] == "waiting")
        # A lead's decision settles those that were handed to a lead, too.
        waiting = sum(row["place"] in ("waiting", "escalated") for row in shown)
        self.send(
            f"campaigns/{found.pk}/decisions",
            {
                "verdict": "spam",
                "expected_count": waiting - 1,
                "exclude": [one],
                "note": word("decide_campaign/note"),
            },
        )
        made = found.decisions.get()
        self.press(f"/campaign-decisions/{made.pk}/correct/", reason=word("CampaignCorrectForm.reason"))
        self.press(f"/campaigns/{found.pk}/leave-out/", post=one, is_left_out="")
        self.press(
            f"/campaigns/{found.pk}/decide/",
            verdict="spam",
            expected_waiting=1,
            expected_spam=0,
            expected_not_spam=0,
            note=word("CampaignDecideForm.note"),
        )

    def rules(self) -> None:
        author = Author.objects.get(external_id=AUTHOR)
        ends = (timezone.now() + timedelta(days=1)).isoformat()
        about = {"effect": "ban", "kind": "author", "value": AUTHOR, "reason": word("add_rule/reason")}
        drafted = self.send("rules", about | {"expires_at": ends})
        self.send(f"rules/{drafted['id']}/activation", {})
        self.api.delete(f"/api/v1/rules/{drafted['id']}")
        self.press(
            "/rules/new/",
            kind="author",
            value=author.pk,
            effect="ban",
            reason=word("RuleForm.reason"),
            sure="1",
        )
        name, query = word("KeepFilterForm.name"), f"q={AUTHOR}+{word('KeepFilterForm.query')}"
        self.press("/filters/keep/", page="authors", name=name, query=query)
