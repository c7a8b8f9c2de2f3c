"""Trial 31, by name: ids that erased authors had, words that come back, and what answers repeat."""

import pytest

from moderation.models import Author, Case, LinkVerdict, Platform, Post, Revision, SavedFilter, User
from moderation.models.decisions import Verdict
from moderation.operations import refusals
from moderation.operations.cases import notes, reversals
from moderation.operations.erasure import erase
from moderation.operations.posts import ingest
from moderation.operations.posts.incoming_post import IncomingAuthor, IncomingParent
from tests.moderation.conftest import Case_, Incoming, Post_, judge
from tests.moderation.instants import AT, later
from tests.moderation.operations.erasure.erasures import MALLORY, rows_with
from tests.moderation.operations.posts.arrivals import complain


class TestIds:
    def test_of_erased_authors_lead_nowhere(self, platform: Platform, post: Post_) -> None:
        author = post(author=MALLORY).author

        erase.author(platform=platform, external_id="mallory", at=later(1))

        author.refresh_from_db()
        assert (author.external_id, author.display_name) == (None, "")
        with pytest.raises(Author.DoesNotExist):
            erase.author(platform=platform, external_id=f"erased:{author.pk}", at=later(2))

    @pytest.mark.parametrize("name", ["erased:{}", "None", "null", ""])
    def test_join_nobody_to_an_erased_author(self, platform: Platform, post: Post_, name: str) -> None:
        gone = post(author=MALLORY).author
        erase.author(platform=platform, external_id="mallory", at=later(1))

        named = IncomingAuthor(external_id=name.format(gone.pk), display_name="Somebody")
        fresh = post(author=named, at=later(2))

        gone.refresh_from_db()
        assert fresh.author_id != gone.pk
        assert gone.display_name == ""

    def test_block_no_erasure(self, platform: Platform, post: Post_) -> None:
        victim = post(author=IncomingAuthor(external_id="victim")).author
        post(author=IncomingAuthor(external_id=f"erased:{victim.pk}"))

        erase.author(platform=platform, external_id="victim", at=later(1))
        erase.author(platform=platform, external_id=f"erased:{victim.pk}", at=later(1))

        assert Author.objects.filter(erased_at__isnull=False, external_id__isnull=True).count() == 2

    def test_of_an_account_go_with_its_author_and_with_its_profile(
        self, account_case: Case, platform: Platform, webhook: Platform, lead: User
    ) -> None:
        """A complaint made afterwards starts anew."""
        ids = [f"account:42{end}" for end in ',")']  # not what the random id in its place begins with
        judge(account_case, lead, at=later(3))
        named = rows_with(*ids)

        erase.author(platform=platform, external_id="42", at=later(99))
        left = rows_with(*ids, '"account": "42"')
        with pytest.raises(refusals.Erased):
            complain(platform, reporter="late", at=later(98))
        fresh = complain(platform, at=later(100)).post
        assert fresh is not None
        erase.post(post_id=fresh.pk, at=later(101))

        assert {"moderation_post: account:42,", 'moderation_delivery: account:42"'} <= {*named}
        assert left == rows_with(*ids) == []
        with pytest.raises(refusals.Erased):
            complain(platform, reporter="late", at=later(101))
        newest = complain(platform, at=later(102)).post
        assert newest is not None
        assert newest.pk not in (account_case.post_id, fresh.pk)

    def test_of_a_post_are_refused_and_of_an_author_are_new(
        self, platform: Platform, post: Post_, incoming: Incoming
    ) -> None:
        gone = post(external_id="p-1", author=MALLORY)
        erase.author(platform=platform, external_id="mallory", at=later(1))

        again = incoming(external_id="p-1", author=MALLORY, revision=2)
        other = incoming(external_id="p-2", author=MALLORY)
        refused, taken = ingest.accept(platform=platform, posts=[again, other], at=later(2))

        assert isinstance(refused, ingest.Refused)
        assert refused.code == "erased"
        assert isinstance(taken, ingest.Accepted)
        assert Post.objects.get(pk=taken.post_id).author_id != gone.author_id


class TestWords:
    def test_written_afterwards_are_refused_or_dropped(self, open_case: Case_, lead: User) -> None:
        case = open_case(text="spam?")
        made = judge(case, lead, at=later(3))
        erase.post(post_id=case.post_id, at=later(4))

        with pytest.raises(refusals.Erased):
            notes.write(case=case, author=lead, text="xyzzy", at=later(5))
        with pytest.raises(refusals.Erased):
            reversals.undo(decision_id=made.pk, moderator=lead, at=later(5))
        reversals.correct(
            decision_id=made.pk, verdict=Verdict.NOT_SPAM, moderator=lead, at=later(99), reason="xyzzy"
        )

        assert rows_with("xyzzy") == []

    def test_of_saved_filters_lose_names_and_stay(self, platform: Platform, post: Post_, lead: User) -> None:
        post(author=MALLORY)
        filters = {
            "who": "q=mallory+malicious&state=spam",
            "by id": "q=see+mallory",
            "of Mallory Malicious": "state=spam",
            "else": "q=mall",
        }
        for name, query in filters.items():
            SavedFilter.objects.create(user=lead, page="authors", name=name, query=query, created_at=later(0))

        erase.author(platform=platform, external_id="mallory", at=later(1))

        kept = list(SavedFilter.objects.order_by("id").values_list("name", "query"))
        assert [query for _, query in kept] == ["state=spam", "", "state=spam", "q=mall"]
        assert [name.startswith("erased author ") for name, _ in kept] == [True, True, True, False]

    @pytest.mark.parametrize(("name", "query"), [("Spam of this week", "state=spam"), ("Posts", "q=spammer")])
    def test_of_an_author_called_as_a_filter_reads_costs_nobody_a_filter(
        self, platform: Platform, post: Post_, lead: User, name: str, query: str
    ) -> None:
        post(author=IncomingAuthor(external_id="state", display_name="sp"))
        SavedFilter.objects.create(user=lead, page="posts", name=name, query=query, created_at=later(0))

        erase.author(platform=platform, external_id="state", at=later(1))

        assert SavedFilter.objects.values_list("name", "query").get() == (name, query)

    def test_of_providers_go_with_the_last_link(self, post: Post_) -> None:
        one, two = (post(text="look", links=("https://only.example/secret",)) for _ in range(2))
        digest = one.revisions.get().post_links.get().url_digest
        LinkVerdict.objects.create(
            provider="web_risk", subject=digest, value=1.0, fetched_at=later(1), expires_at=later(2)
        )

        left = []
        for row in (one, two):
            erase.post(post_id=row.pk, at=later(3))
            left.append(LinkVerdict.objects.count())

        assert left == [1, 0]


TOLD = IncomingParent(
    external_id="parent", text="Zanzibar", author_external_id="mallory", author_name="Mallory Malicious"
)


@pytest.fixture
def answer(post: Post_) -> Post:
    """A post that came before the one that it answers, and tells of it."""
    return post(external_id="answer", parent=TOLD)


class TestParents:
    """What an answer repeats of the post that it answers goes with that post, and with its author."""

    def test_with_the_post_that_is_answered(self, answer: Post, post: Post_) -> None:
        parent = post(external_id="parent", text="Zanzibar")

        erase.post(post_id=parent.pk, at=later(1))

        assert rows_with("zanzibar") == []
        row = Revision.objects.get(post=answer)
        assert (row.parent_external_id, row.parent_author) == ("parent", None)
        assert row.text

    def test_with_its_author_also_where_it_never_came(self, answer: Post, platform: Platform) -> None:
        erase.author(platform=platform, external_id="mallory", at=later(1))

        assert rows_with("zanzibar", "mallory") == []
        assert Revision.objects.get(post=answer).text

    def test_with_the_retention_of_the_post_that_is_answered(
        self, answer: Post, post: Post_, platform: Platform
    ) -> None:
        post(external_id="parent", text="Zanzibar", at=later(-3 * 86_400))
        platform.text_retention_days = 2
        platform.save()

        assert erase.expired(at=AT) == 1

        assert rows_with("zanzibar") == []

    def test_but_not_on_another_platform(self, answer: Post) -> None:
        other = Platform.objects.create(slug="other", name="Other", created_at=AT)
        author = answer.author.__class__.objects.create(
            platform=other, external_id=MALLORY.external_id, first_seen_at=AT
        )
        same_name = Post.objects.create(
            platform=other,
            external_id="parent",
            author=author,
            posted_at=AT,
            received_at=AT,
            latest_revision=1,
        )

        erase.post(post_id=same_name.pk, at=later(1))
        erase.author(platform=other, external_id="mallory", at=later(1))

        assert Revision.objects.get(post=answer).parent_text == "Zanzibar"


def test_an_answer_that_comes_after_the_erasure_brings_nothing_back(post: Post_) -> None:
    parent = post(external_id="parent", text="Zanzibar")
    erase.post(post_id=parent.pk, at=later(1))

    post(external_id="answer", parent=TOLD, at=later(2))

    assert rows_with("zanzibar") == []
