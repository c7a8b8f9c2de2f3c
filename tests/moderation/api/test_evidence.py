"""`evidence` of GET /posts/{id}: what links and media led to, bounded, with null for what is not known."""

import json
import re
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction

from moderation.models import Case, Delivery, Platform, Revision
from moderation.models.evidence import EvidenceKind, EvidenceRole, EvidenceState
from moderation.models.webhooks import WebhookEvent
from moderation.operations import rescore
from moderation.operations.erasure import erase
from moderation.operations.scoring import score
from moderation.operations.webhooks import endpoints
from tests.moderation.api.conftest import ReadPost
from tests.moderation.carried_pictures import carry, carry_picture, facts
from tests.moderation.conftest import Case_, Later
from tests.moderation.operations.erasure.erasures import rows_with

CODE = "http://parcel.example/pay"
PAGE = {"title": "Your parcel", "article": "Pay", "text": "Pay now", "forms": [], "downloads": []}
FACTS = ("title", "article", "text", "is_cut", "forms", "downloads", "picture")
FORM = {"action_host": "takes.example", "posts_elsewhere": True, "asks_password": True}
pytestmark = pytest.mark.usefixtures("evidence_store")


def carry_page(case: Case, url: str = CODE, *, role: str = EvidenceRole.LINK, **fields: Any) -> None:
    carry(case, url, role=role, **{"kind": EvidenceKind.PAGE, "final_host": "lands.example"} | fields)


class TestPictures:
    def test_say_their_text_and_codes_and_if_a_copy_is_kept(self, open_case: Case_, read: ReadPost) -> None:
        case = open_case()
        codes = [{"format": "QRCode", "text": CODE}, {"format": "EAN13", "text": "4006381333931"}]
        carry_picture(case, text="PAY NOW", codes=codes)
        chain = [{"url": CODE, "status": None}]
        lands: dict[str, Any] = {"final_domain": "lands.example", "chain": chain}
        carry_page(case, role=EvidenceRole.CODE, facts=PAGE | {"forms": [FORM]}, **lands)

        picture, landing = read(case)["evidence"]

        assert (picture["text"], picture["is_cut"], picture["forms"]) == ("PAY NOW", False, None)
        assert picture["picture"] == {
            "format": "PNG",
            "width": 900,
            "height": 300,
            "is_animated": False,
            "has_thumbnail": True,
            "codes": [codes[0] | {"host": "lands.example"}, codes[1] | {"host": None}],
        }
        assert (landing["picture"], landing["state"], landing["chain"]) == (None, "fetched", chain)
        assert (landing["final_domain"], landing["title"]) == ("lands.example", PAGE["title"])
        assert landing["forms"] == [FORM]

    def test_that_repeat_a_link_in_a_code_lead_where_that_led(self, open_case: Case_, read: ReadPost) -> None:
        case = open_case(links=[CODE])
        carry_page(case, facts=PAGE)
        carry_page(case, f"{CODE}/2", role=EvidenceRole.BROWSER, final_host="other.example", facts=PAGE)
        carry_picture(case, codes=[{"format": "QRCode", "text": CODE}])

        *_, picture = read(case)["evidence"]

        assert picture["picture"]["codes"][0]["host"] == "lands.example"

    @pytest.mark.parametrize(("engine", "text"), [("rapidocr", ""), ("", None)])
    def test_without_text_are_told_from_unread_ones(
        self, engine: str, text: str | None, open_case: Case_, read: ReadPost
    ) -> None:
        case = open_case()
        carry(case, "http://pictures.example/b.png", facts=facts(text_engine=engine))

        [found] = read(case)["evidence"]

        assert (found["text"], found["is_cut"]) == (text, None if text is None else False)
        assert not found["picture"]["has_thumbnail"]

    def test_answer_as_the_guide_shows(self, open_case: Case_, read: ReadPost) -> None:
        guide = (Path(__file__).parents[3] / "docs" / "api-guide.md").read_text()
        [block] = re.findall(r'```json\n(\{\n  "url": "https://pictures.*?)```', guide, re.DOTALL)
        case = open_case()
        carry_picture(case, codes=[{"format": "QRCode", "text": CODE}])

        [found] = read(case)["evidence"]

        shown = json.loads(block)
        assert found.keys() == shown.keys()
        assert found["picture"].keys() == shown["picture"].keys()


class TestTexts:
    @pytest.mark.parametrize("name", ["article", "text"])
    def test_are_bounded_and_say_so(self, name: str, open_case: Case_, read: ReadPost) -> None:
        case = open_case()
        carry_page(case, facts=PAGE | {name: "<script>" + "ж" * 20_000})

        [found] = read(case)["evidence"]

        assert (found[name][:9], len(found[name]), found["is_cut"]) == ("<script>ж", 5_000, True)

    def test_that_were_heard_have_no_page(self, open_case: Case_, read: ReadPost) -> None:
        case = open_case()
        said = {"source": "vosk: small", "seconds": 60.0, "cues": [], "text": "pay"}
        carry_page(case, facts=said | {"is_cut": True})

        [found] = read(case)["evidence"]

        assert [found[name] for name in FACTS] == [None, None, "pay", True, None, None, None]


@pytest.mark.parametrize("state", [EvidenceState.WAITING, EvidenceState.UNREACHABLE, EvidenceState.LOST])
def test_nothing_is_known_of_what_is_not_read(state: EvidenceState, open_case: Case_, read: ReadPost) -> None:
    case = open_case()
    carry(case, "http://pictures.example/c.png", state=state, facts=None)

    [found] = read(case)["evidence"]

    assert {name: found[name] for name in FACTS} == dict.fromkeys(FACTS)


def test_nothing_is_left_of_it_in_an_erased_post(open_case: Case_, read: ReadPost, later: Later) -> None:
    case = open_case()
    carry_picture(case, text="zanzibar", codes=[{"format": "QRCode", "text": "http://zanzibar.example/"}])
    carry_page(case, facts=PAGE | {"title": "zanzibar", "article": "zanzibar"})
    assert "zanzibar" in json.dumps(read(case))

    erase.post(post_id=case.post_id, at=later(5))

    assert read(case)["evidence"] == []
    assert rows_with("zanzibar") == []


def test_the_platform_is_told_of_every_score(
    platform: Platform, open_case: Case_, at: datetime, later: Later
) -> None:
    """Evidence that could matter puts the post back, as tests/moderation/operations/evidence shows."""
    everything, _ = endpoints.add(
        platform=platform, url="https://all.example/", events=WebhookEvent.values, at=at
    )
    case = open_case()
    revision = Revision.objects.filter(post=case.post)
    told = Delivery.objects.filter(endpoint=everything, event="post.scored", post=case.post)
    before = told.count()

    with transaction.atomic():
        rescore.again(revision.values_list("pk", flat=True), at=later(60))
    score.run(revision_ids=list(revision.values_list("pk", flat=True)), at=later(61))

    assert told.count() == before + 1
