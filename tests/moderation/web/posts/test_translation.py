"""T on a post: the translation, or what to do where there is none."""

import json
import re
from collections.abc import Iterator

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from moderation.models import AuditEntry, DeskSettings, Post, Translation, User
from moderation.operations.erasure import erase
from moderation.operations.translation import translate
from tests.moderation import receiver
from tests.moderation.conftest import Case_, Post_
from tests.moderation.operations.erasure.erasures import rows_with
from tests.moderation.receiver import Receiver
from tests.moderation.web.conftest import HTMX

HOSTILE = "<b>Zanzibar</b> https://evil.example/now"


@pytest.fixture
def server(settings: Settings, remembered: DeskSettings) -> Iterator[Receiver]:
    """A translation service that the settings name."""
    with receiver.listening() as listening:
        listening.status, listening.body = 200, json.dumps({"translatedText": HOSTILE}).encode()
        settings.EGRESS_PRIVATE_HOSTS = ("localhost", "127.0.0.1")
        remembered.translation_url = listening.url.removesuffix("/hook")
        yield listening


def press(desk: Client, post: Post, *, language: str = "en") -> str:
    """Ask for the translation as the page does; return what takes the button's place."""
    headers = HTMX | {"accept-language": language}
    answer = desk.post(f"/posts/{post.pk}/translation/1/", headers=headers)
    assert answer.status_code == 200
    return re.sub(r"\s+", " ", answer.content.decode())


class TestButton:
    @pytest.mark.parametrize(
        ("spoken", "read", "is_there"),
        [
            ("ar", [], True),
            ("", [], True),
            ("en", [], False),
            ("en-GB", [], False),
            ("EN", [], False),
            ("pt-BR", ["pt"], False),
            ("pt-BR", ["de"], True),
        ],
    )
    def test_stands_where_the_reader_may_not_read_the_language(
        self,
        desk: Client,
        open_case: Case_,
        server: Receiver,
        spoken: str,
        read: list[str],
        *,
        is_there: bool,
    ) -> None:
        User.objects.update(languages=read)
        case = open_case(language=spoken)

        for address in (f"/review/{case.pk}/", f"/posts/{case.post_id}/"):
            assert ('data-key="t"' in desk.get(address).content.decode()) is is_there

    def test_is_missing_where_there_is_no_text(self, desk: Client, post: Post_, server: Receiver) -> None:
        row = post(text="", links=("https://a.example/",), language="ar")

        assert 'data-key="t"' not in desk.get(f"/posts/{row.pk}/").content.decode()


class TestWithoutAService:
    def test_there_is_no_button_and_no_key(self, desk: Client, post: Post_, remembered: DeskSettings) -> None:
        address = f"/posts/{post(language='ar').pk}/"
        body = desk.get(address).content.decode()
        assert 'data-key="t"' not in body
        assert "Translate the post" not in body

        remembered.translation_url = "https://translate.example"

        assert "Translate the post" in desk.get(address).content.decode()

    def test_says_so_and_whom_to_ask(self, desk: Client, post: Post_) -> None:
        row = post(language="ar")

        assert "No translation service is set up; an administrator names one" in press(desk, row)
        assert not Translation.objects.exists()
        assert not AuditEntry.objects.exists()


class TestWithAService:
    def test_shows_it_inert_with_its_name(self, desk: Client, post: Post_, server: Receiver) -> None:
        body = press(desk, post(language="ar"))

        assert "Machine translation by LibreTranslate (localhost)" in body
        assert "&lt;b&gt;Zanzibar" in body
        assert "<b>" not in body
        assert "https://evil" not in body

    def test_asks_once_per_revision_and_language(self, desk: Client, post: Post_, server: Receiver) -> None:
        row = post(language="ar")

        for language in ("en", "en", "de", "de"):
            press(desk, row, language=language)

        assert [json.loads(body)["target"] for _, body in server.got] == ["en", "de"]
        entry, _ = AuditEntry.objects.filter(action="post.translated").order_by("pk")
        assert (entry.subject_id, entry.details["language"]) == (str(row.pk), "en")
        assert "grey cat" not in json.dumps(entry.details)

    def test_sends_only_the_beginning_of_the_text(self, desk: Client, post: Post_, server: Receiver) -> None:
        row = post(language="ar", text="a " * 4_000, ip="203.0.113.7")

        body = press(desk, row)

        [(_, sent)] = server.got
        assert json.loads(sent)["q"] == ("a " * 4_000)[: translate.MOST_CHARACTERS]
        assert b"203.0.113.7" not in sent
        assert "of the beginning" in body

    @pytest.mark.parametrize(
        ("status", "words"),
        [
            (400, "cannot translate this text"),
            (403, "corrects it in Settings"),
            (429, "too much to do"),
            (500, "cannot be reached"),
        ],
    )
    def test_says_what_to_do_where_it_failed_and_lets_one_try_again(
        self, desk: Client, post: Post_, server: Receiver, status: int, words: str
    ) -> None:
        row, server.status = post(language="ar"), status

        body = press(desk, row)

        assert words in body
        assert 'data-key="t"' in body
        assert not Translation.objects.exists()

    def test_works_without_the_pages_script(self, desk: Client, post: Post_, server: Receiver) -> None:
        row = post(language="ar")

        body = desk.post(f"/posts/{row.pk}/translation/1/").content.decode()

        assert "<html" in body
        assert "Zanzibar" in body

    def test_of_no_revision_is_not_found(self, desk: Client, post: Post_, server: Receiver) -> None:
        assert desk.post(f"/posts/{post().pk}/translation/9/").status_code == 404
        assert server.got == []


class TestErasure:
    def test_takes_the_translation(self, desk: Client, post: Post_, server: Receiver) -> None:
        row = post(language="ar")
        press(desk, row)

        erase.post(post_id=row.pk, at=timezone.now())

        assert rows_with("zanzibar") == []

    def test_lets_nothing_be_asked_afterwards(self, desk: Client, post: Post_, server: Receiver) -> None:
        row = post(language="ar")
        erase.post(post_id=row.pk, at=timezone.now())

        assert "The post was erased." in press(desk, row)
        assert server.got == []

    def test_meanwhile_leaves_nothing(self, desk: Client, post: Post_, server: Receiver) -> None:
        row = post(language="ar")
        translated = translate._libre_translate(server.url.removesuffix("/hook"), "").translate

        def slow(text: str, *, language: str) -> str:
            found = translated(text, language=language)
            erase.post(post_id=row.pk, at=timezone.now())
            return found

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(translate._libre_translate(server.url.removesuffix("/hook"), ""), "translate", slow)
            body = press(desk, row)

        assert "The post was erased." in body
        assert rows_with("zanzibar") == []
