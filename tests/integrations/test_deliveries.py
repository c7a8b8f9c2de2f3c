"""What platforms send: checked, stored, read by a task, kept where it cannot be read, and erased."""

import pytest
from django.test import Client

from integrations import deliveries, intake, polling, setup, tasks
from integrations.models import Exchange, Integration, IntegrationState
from moderation.models import Complaint, Platform, Post, User
from moderation.models.posts import Subject
from moderation.operations.accounts import platforms
from moderation.operations.erasure import erase, platform_deletion
from tests.integrations import mastodon_server
from tests.integrations.mastodon_server import SECRET, MastodonServer
from tests.moderation.instants import AT

Read = list[int]


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Read:
    """The deliveries that a worker is told of."""
    told: Read = []
    monkeypatch.setattr(
        tasks.read_delivery, "apply_async", lambda *, kwargs: told.append(kwargs["exchange_id"])
    )
    return told


@pytest.fixture
def mastodon(platform: Platform, admin: User) -> Integration:
    """A Mastodon that sends, with its secret pasted."""
    row = Integration.objects.create(
        platform=platform, kind="mastodon", base_url="https://m.example", hook="a-hook", created_at=AT
    )
    return setup.change(integration_id=row.pk, actor=admin, at=AT, webhook_secret=SECRET)


def send(body: bytes, headers: dict[str, str], *, hook: str = "a-hook") -> int:
    answer = Client(headers=headers).post(f"/integrations/hook/{hook}", body, "application/json")
    return answer.status_code


def reported() -> tuple[dict[str, str], bytes]:
    report = MastodonServer().report("12", mastodon_server.status("901"))
    return mastodon_server.delivery("report.created", report)


def test_is_stored_at_once_and_read_once(mastodon: Integration, read: Read) -> None:
    headers, body = reported()

    assert send(body, headers) == 202
    assert (not Post.objects.exists(), len(read)) == (True, 1)
    assert deliveries.read(exchange_id=read[0], at=AT) == 1
    assert deliveries.read(exchange_id=read[0], at=AT) == 0
    assert (Post.objects.get().external_id, Complaint.objects.count()) == ("mastodon:901", 1)
    assert (Exchange.objects.get().body, Exchange.objects.get().status) == ("", 200)


def test_a_platform_that_is_off_is_refused_and_not_asked(
    mastodon: Integration, read: Read, admin: User
) -> None:
    headers, body = reported()
    Integration.objects.update(state=IntegrationState.ACTIVE, next_poll_at=AT)
    assert polling.due(at=AT) == [mastodon.pk]

    platforms.switch_off(platform_id=mastodon.platform_id, actor=admin, at=AT)

    assert (send(body, headers), read) == (403, [])
    assert (polling.due(at=AT), polling.poll(integration_id=mastodon.pk, at=AT)) == ([], 0)


def test_of_a_deleted_platform_nothing_can_sign_in_any_more(
    mastodon: Integration, read: Read, platform: Platform
) -> None:
    headers, body = reported()
    send(body, headers)

    platform_deletion.begin(platform, actor=None, at=AT)

    mastodon.refresh_from_db()
    assert (mastodon.state, mastodon.webhook_secret) == (IntegrationState.REMOVED, "")
    assert not Exchange.objects.exists()


def test_a_report_about_an_account_is_about_the_account(mastodon: Integration, read: Read) -> None:
    headers, body = mastodon_server.delivery("report.created", MastodonServer().report("12"))
    send(body, headers)
    deliveries.read(exchange_id=read[0], at=AT)

    post = Post.objects.get()
    assert (post.subject, post.external_id) == (Subject.ACCOUNT, "account:pills@spam.example")
    assert Complaint.objects.get().post == post


@pytest.mark.parametrize("is_allowed", [False, True])
def test_direct_messages_come_only_where_allowed(mastodon: Integration, read: Read, is_allowed: bool) -> None:
    Integration.objects.update(takes_direct_messages=is_allowed)
    report = MastodonServer().report("12", mastodon_server.status("901", visibility="direct"))
    headers, body = mastodon_server.delivery("report.created", report)
    send(body, headers)
    deliveries.read(exchange_id=read[0], at=AT)

    assert Post.objects.exists() is is_allowed


def test_without_the_signature_nothing_is_kept(mastodon: Integration, read: Read) -> None:
    headers, body = reported()

    assert send(body, {}) == 401
    assert send(body + b" ", headers) == 401
    assert send(body, headers, hook="nothing") == 404
    assert send(b"x" * 3_000_000, headers) == 413
    assert (read, Exchange.objects.count()) == ([], 0)


def test_before_its_secret_is_known_it_says_so(mastodon: Integration, read: Read) -> None:
    Integration.objects.update(webhook_secret="")

    headers, body = reported()

    assert send(body, headers) == 401


def test_what_cannot_be_read_is_kept_and_read_again(
    mastodon: Integration, read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    headers, body = reported()
    send(body, headers)
    with monkeypatch.context() as broken:
        broken.setattr(intake, "take", lambda *_, **__: dict[str, int]()["nothing"])
        assert deliveries.read(exchange_id=read[0], at=AT) == 0
    row = Exchange.objects.get()
    assert "KeyError" in row.error
    assert row.body

    assert deliveries.read(exchange_id=row.pk, at=AT) == 1
    assert Exchange.objects.get().error == ""


def test_a_lost_message_is_found_by_the_sweep(mastodon: Integration, read: Read) -> None:
    headers, body = reported()
    send(body, headers)
    row = Exchange.objects.get()

    assert deliveries.forgotten(at=row.at) == []
    assert deliveries.forgotten(at=row.at + 2 * deliveries.FORGOTTEN) == [row.pk]


def test_erasing_a_post_erases_what_was_kept_for_it(mastodon: Integration, read: Read) -> None:
    headers, body = reported()
    for _ in range(2):
        send(body, headers)
    deliveries.read(exchange_id=read[0], at=AT)
    post = Post.objects.get()
    assert post.items.exists()

    erase.post(post_id=post.pk, at=AT)

    assert not post.items.exists()
    assert not Exchange.objects.exclude(body="").exists()
    assert deliveries.read(exchange_id=read[1], at=AT) == 0


def test_an_open_report_does_not_bring_an_erased_account_back(mastodon: Integration, read: Read) -> None:
    headers, body = mastodon_server.delivery("report.created", MastodonServer().report("12"))
    for number in range(2):
        send(body, headers)
        deliveries.read(exchange_id=read[number], at=AT)
        erase.author(platform=mastodon.platform, external_id="pills@spam.example", at=AT)

    assert Post.objects.get().erased_at is not None
