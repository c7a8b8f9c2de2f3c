"""Lists of pictures through their pages: imported as drafts, measured, exported; one's own bans."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from moderation.models import ListedPicture, Rule, User
from moderation.operations import rules
from tests.moderation.carried_pictures import carry_picture
from tests.moderation.conftest import Case_, Decided
from tests.moderation.web.conftest import flat

pytestmark = pytest.mark.usefixtures("evidence_store")
HASH, OTHER = "0f" * 32, "1e" * 32
FORM = {"name": "Scams <i>", "effect": "hold", "reason": "Known scams", "days": "30"}


def imported(desk: Client, data: str, **given: str) -> tuple[int, str]:
    """Send a file; return the status and the page that comes in the end."""
    file = SimpleUploadedFile("list.csv", data.encode())
    answer = desk.post("/rules/pictures/", FORM | given | {"file": file}, follow=True)
    return answer.status_code, flat(answer.content.decode())


class TestImport:
    def test_makes_a_draft_and_shows_how_precise_it_would_be(
        self, lead_desk: Client, open_case: Case_, decided: Decided
    ) -> None:
        for number, verdict in enumerate(("spam", "spam", "spam", "not_spam")):
            case = open_case(text=f"picture {number}", at=timezone.now())
            carry_picture(case, f"http://pictures.example/{number}.png", pdq=HASH, pdq_quality=80)
            decided(case, verdict=verdict)

        status, body = imported(lead_desk, f"hash,category,note\n{HASH},scam,=1+1\n{OTHER}\n")

        assert status == 200
        assert "2 hashes imported. Nothing is held or removed until you activate the list." in body
        assert "<strong>4 posts</strong>so far" in body
        assert "Scams &lt;i&gt;" in body
        listed = flat(lead_desk.get("/rules/?state=draft&kind=pictures").content.decode())
        assert "Spam among those judged: 3 of 4 · 75%" in listed
        assert "(30%–95%)" in listed

    @pytest.mark.parametrize(
        ("data", "given", "told"),
        [
            (f"{HASH}\nnonsense", {}, "Line 2: “nonsense” is no PDQ hash of 64 hex digits."),
            (HASH, {"days": ""}, "Only a ban can be permanent."),
            (HASH, {"effect": "allow"}, "allow is not one of the available choices."),
        ],
    )
    def test_says_what_is_wrong(self, lead_desk: Client, data: str, given: dict[str, str], told: str) -> None:
        status, body = imported(lead_desk, data, **given)

        assert status == 422
        assert told in body
        assert not Rule.objects.exists()


class TestList:
    def test_is_exported(self, lead_desk: Client, lead: User) -> None:
        imported(lead_desk, f"{HASH},scam,=1+1")
        rules.impose(kind="picture", value=OTHER, reason="x", actor=lead, at=timezone.now())
        listed = Rule.objects.get(kind="pictures")

        sent = [lead_desk.get(address) for address in (f"/rules/{listed.pk}/csv/", "/rules/pictures/csv/")]

        lines = [b"".join(one.streaming_content).decode().splitlines() for one in sent]  # type: ignore[attr-defined]
        assert lines == [["hash,category,note", f"{HASH},scam,'=1+1"], ["hash,category,note", f"{OTHER},,"]]


class TestPost:
    def test_leads_to_a_rule_about_its_picture(
        self, lead_desk: Client, desk: Client, open_case: Case_
    ) -> None:
        case = open_case()
        carry_picture(case, pdq=HASH, pdq_quality=80)
        address, page = f"/rules/new/?kind=picture&amp;value={HASH}", f"/posts/{case.post_id}/"
        assert address in lead_desk.get(page).content.decode()
        assert address not in desk.get(page).content.decode()

        about = {"kind": "picture", "value": HASH, "reason": "Scam", "days": "30", "effect": "hold"}
        assert lead_desk.post("/rules/new/", about).headers["Location"] == "/rules/"

        body = desk.get(page).content.decode()
        assert "matches a rule" in body
        assert ListedPicture.objects.get().hash == HASH
