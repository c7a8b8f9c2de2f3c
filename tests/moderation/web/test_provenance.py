"""What is simulated, and that every page says so."""

from collections.abc import Iterator

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from moderation.models import Case, Promotion, Release, User
from moderation.models.releases import PromotionKind
from moderation.operations.accounts import demo
from moderation.web import provenance
from tests.moderation.caches import forget
from tests.moderation.conftest import Case_
from tests.moderation.web.conftest import DeskOf, flat
from tests.moderation.web.test_access import ARGUMENTS, urlpatterns


@pytest.fixture(autouse=True)
def _nothing_remembered() -> Iterator[None]:
    forget(provenance)
    yield
    forget(provenance)


class TestCurrent:
    def test_of_a_release_fitted_to_simulated_posts(self, db: None) -> None:
        assert provenance.current().words == "Simulated training"

    def test_of_the_demonstration(self, db: None) -> None:
        demo.demo(at=timezone.now())

        assert provenance.current().words == "Simulated posts and training"

    def test_of_a_release_fitted_to_decisions(self, open_case: Case_) -> None:
        released = open_case().score.release
        now = timezone.now()
        other = Release.objects.create(id="a" * 64, manifest={}, first_used_at=now)
        Promotion.objects.create(release=released, replaced=other, kind=PromotionKind.PROMOTE, at=now)

        assert provenance.current().words == ""


@pytest.mark.whole
class TestEveryPage:
    @pytest.mark.parametrize("language", ["en", pytest.param("de", marks=pytest.mark.long)])
    def test_says_it_once(self, desk_of: DeskOf, case_in_front: Case, language: str) -> None:
        """Every page of the desk that a browser opens, signed in and not, whatever it answers."""
        platform = demo.demo(at=timezone.now())
        words = {"en": "Simulated posts and training", "de": "Simuliert samt Training"}[language]
        numbers = ARGUMENTS | {
            "case_id": case_in_front.pk,
            "author_id": case_in_front.post.author_id,
            "platform_id": platform.pk,
        }
        signed_in, stranger = desk_of(User.objects.get(username="admin")), Client()
        seen = 0

        for pattern in urlpatterns:
            given = {name: numbers[name] for name in pattern.pattern.converters}
            address = reverse(str(pattern.name), kwargs=given)
            for browser in (signed_in, stranger):
                answer = browser.get(address, headers={"Accept-Language": language})
                body = b"".join(answer) if answer.streaming else answer.content
                if b"<!doctype html>" in body.lower():
                    assert flat(body.decode()).count(f">{words}<") == 1, (pattern.name, answer.status_code)
                    seen += 1

        assert seen > 25
