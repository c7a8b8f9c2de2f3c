"""The training set comes from the code that serves, repeats itself and leaves no trace."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction

from moderation.models import Label
from scoring.content import Unavailable
from scoring.records import NOTHING_KNOWN, PostRecord
from simulation.management.commands import simulate_records
from simulation.management.commands.simulate_records import Worlds
from simulation.platforms import PlatformKind
from simulation.simulated_means import Collecting, Opinions, Readings, opinions_of
from simulation.web.shares import Mode

pytestmark = pytest.mark.django_db


def rows(out: Path, *, posts: int, seed: int = 7, bare_worlds: int = 0) -> list[dict[str, Any]]:
    """Write simulated worlds into the test database and return the lines."""
    with out.open("w") as file:
        Worlds(posts=posts, seed=seed, bare_worlds=bare_worlds).write(file)
    return read(out)


def read(path: Path) -> list[dict[str, Any]]:
    """Return the lines of a file."""
    return [json.loads(line) for line in path.read_text().splitlines()]


def leave_pictures_unread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the text of pictures unread, which takes a second for each."""
    read = Readings.read

    def without_text(self: Readings, kind: str, data: bytes, **given: Any) -> dict[str, Any]:
        return {} if kind == "text" else read(self, kind, data, **given)

    monkeypatch.setattr(Readings, "read", without_text)


def test_writes_one_readable_record_per_post_that_shows_its_history(tmp_path: Path) -> None:
    lines = rows(tmp_path / "records.jsonl", posts=240)

    records = [PostRecord.from_json(line["record"]) for line in lines]
    assert len({record.external_id for record in records}) == 240
    assert {line["is_spam"] for line in lines} == {True, False}
    assert all(line["kind"] and line["group"] for line in lines)
    assert any(record.author_history.posts for record in records)
    assert any(record.author_history.confirmed_spam for record in records)
    assert any(record.similar.posts for record in records)
    assert any(record.complaints for record in records)
    assert any(record.ip_network_history.posts for record in records)


def test_a_bare_world_tells_texts_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulate_records, "_WORLD_POSTS", 40)

    lines = rows(tmp_path / "records.jsonl", posts=80, bare_worlds=1)

    records = [PostRecord.from_json(line["record"]) for line in lines]
    telling, bare = records[:40], records[40:]
    assert {record.platform for record in bare} == {"simulated-7-1"}
    for record in bare:
        assert (record.ip, record.journey, record.author.created_at) == (None, (), None)
        assert not record.complaints
    assert any(record.author_history.posts for record in bare)
    assert any(record.ip for record in telling)
    assert rows(tmp_path / "telling.jsonl", posts=80)[:40] == lines[:40]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"bare_worlds": 2}, "--bare-worlds must be 0 to 1"),
        ({"spam_share": 1.5}, "--spam-share must lie between 0 and 1"),
    ],
)
def test_refuses_numbers_that_cannot_be(tmp_path: Path, given: dict[str, float], told: str) -> None:
    with pytest.raises(CommandError, match=told):
        call_command("simulate_records", posts=30, **given, out=tmp_path / "records.jsonl")


def test_platforms_send_different_things_by_turns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulate_records, "_WORLD_POSTS", 20)

    records = [PostRecord.from_json(line["record"]) for line in rows(tmp_path / "records.jsonl", posts=80)]

    everything, accounts, _, forum = (
        [record for record in records if record.platform == f"simulated-7-{number}"] for number in range(4)
    )
    assert any(record.ip and record.journey and record.author.followers for record in everything)
    assert not any(record.ip or record.journey for record in accounts)
    assert any(record.author.followers for record in accounts)
    assert any(record.ip and record.author.posts for record in forum)
    assert not any(record.author.followers for record in forum)


def test_one_kind_of_platform_and_the_share_of_spam_can_be_asked_for(tmp_path: Path) -> None:
    with (tmp_path / "records.jsonl").open("w") as file:
        worlds = Worlds(posts=150, seed=7, spam_share=0.01, platform_kind=PlatformKind.ACCOUNTS)
        written, spam = worlds.write(file)

    records = [PostRecord.from_json(line["record"]) for line in read(tmp_path / "records.jsonl")]
    assert (written, 0 <= spam <= 8) == (150, True)
    assert not any(record.ip for record in records)


class TestWeb:
    @pytest.fixture(autouse=True)
    def unread(self, monkeypatch: pytest.MonkeyPatch) -> None:
        leave_pictures_unread(monkeypatch)

    def lines(self, out: Path, *, mode: Mode, posts: int) -> list[dict[str, Any]]:
        with out.open("w") as file, Readings() as readings:
            collecting = Collecting(leads=mode, readings=readings)
            Worlds(posts=posts, seed=7, collecting=collecting).write(file)
        return read(out)

    def test_records_hold_what_posts_lead_to(self, tmp_path: Path) -> None:
        lines = self.lines(tmp_path / "hidden.jsonl", mode=Mode.HIDDEN, posts=60)

        roles = {"page": "link", "picture": "media", "code": "media", "captions": "captions"}
        for line in lines:
            record = PostRecord.from_json(line["record"])
            where = line.get("hides_in") or line.get("twin_in")
            assert where or record.links
            assert line["is_spam"] == ("hides_in" in line)
            wanted = roles[where] if where else "link"
            assert wanted in {piece.role for piece in record.evidence}, (where, record)
        assert {line.get("hides_in") for line in lines} > {"page", "picture"}

    @pytest.mark.long
    def test_some_records_of_an_ordinary_world_are_frozen_before_their_evidence(self, tmp_path: Path) -> None:
        lines = self.lines(tmp_path / "ordinary.jsonl", mode=Mode.ORDINARY, posts=80)

        linked = [one for line in lines if (one := PostRecord.from_json(line["record"])).links]
        assert {bool(record.evidence) for record in linked} == {True, False}

    @pytest.mark.long
    def test_repeats_itself(self, tmp_path: Path) -> None:
        once, again = (
            self.lines(tmp_path / name, mode=Mode.HIDDEN, posts=12) for name in ("once.jsonl", "again.jsonl")
        )

        assert once == again


class TestVerdictsInAWorldWithPages:
    """A backlog: weeks pass in seconds, and what posts lead to is collected in seconds, too."""

    @pytest.fixture(autouse=True)
    def unread(self, monkeypatch: pytest.MonkeyPatch) -> None:
        leave_pictures_unread(monkeypatch)

    def labels(self, opinions: Opinions | None) -> list[Label]:
        with transaction.atomic(), Readings() as readings:
            collecting = Collecting(leads=Mode.HIDDEN, readings=readings, opinions=opinions)
            replay = Worlds(posts=60, seed=7, spam_share=0.5, collecting=collecting).replay(0, posts=60)
            assert len(list(replay.records())) == 60
        return list(Label.objects.select_related("decision"))

    def test_rest_on_the_evidence_that_a_release_finds_to_be_spam(self) -> None:
        asked: list[PostRecord] = []

        def opinions(record: PostRecord) -> Mapping[str, float | None]:
            asked.append(record)
            return {"content": 0.02, "evidence": 0.97}

        labels = self.labels(opinions)

        resting = [label for label in labels if label.rests_on_evidence]
        assert len(resting) == len(asked) > 0
        assert all(label.is_spam for label in resting)
        # Nobody judged a post that leads somewhere before that was collected.
        assert {label.is_spam for label in labels if not label.rests_on_evidence} <= {False}
        assert all(record.evidence for record in asked)

    def test_rest_on_words_where_no_release_is_asked(self) -> None:
        assert {label.rests_on_evidence for label in self.labels(None)} == {False}

    def test_are_not_made_up_where_the_content_model_does_not_answer(self) -> None:
        with pytest.raises(Unavailable, match="no answer from grpc"):
            opinions_of("grpc://127.0.0.1:1")(replace(NOTHING_KNOWN, text="Feliz cumpleaños"))
