"""Discourse's JSON as posts, accounts and flags of them; `discourse` names the sources."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from integrations import text
from integrations.connector import Incoming
from integrations.fields import digits, instant, part, parts, string
from moderation.operations.posts.complaints import IncomingComplaint
from moderation.operations.posts.incoming_post import IncomingAuthor, IncomingPost

PENDING, _APPROVED, REJECTED = (0, "pending"), (1, "approved"), (2, "rejected")
_FLAGS, _MOST_FLAGS = "reviewable_scores", 100
_NO_LINKS = ("mention", "mention-group", "hashtag", "hashtag-cooked", "lightbox", "anchor")
_REASONS = {"spam": "spam", "inappropriate": "abuse"}
_REFERENCES = {"user": "users", "created_by": "users", "target_created_by": "users", "topic": "topics"}
_REFERENCES |= {"score_type": "score_types"}


def of_post(post: Mapping[str, Any], *, title: str, is_removed: bool = False) -> Incoming | None:
    """Return a post, None for one without an id."""
    if not (identifier := digits(post)):
        return None
    links = text.from_html(string(post, "cooked"), leaves_out=_NO_LINKS).links
    said = text.from_markdown(string(post, "raw"), title if post.get("post_number") == 1 else "")
    piece = _incoming(
        f"discourse:{identifier}",
        row=post,
        author=post,
        said=replace(said, links=links or said.links),
        remote={"post": identifier, "user": digits(post, "user_id")},
    )
    return replace(piece, is_removed=is_removed or bool(post.get("deleted_at")))


def of_queue(row: dict[str, Any]) -> Incoming | None:
    """Return a post that waits for approval, or an account: what has no post in the forum."""
    told, review = part(row, "payload"), digits(row)
    author = part(row, "target_created_by") or part(row, "created_by")
    if row.get("type") == "ReviewableUser" and (user := digits(row, "user_id")):
        kind, name, author = "user", f"account:{user}", told
        about = [string(told, name) for name in ("username", "name", "website")]
        said = text.from_markdown(string(told, "bio"), *about)
    elif row.get("type") == "ReviewableQueuedPost" and review and told.get("archetype") != "private_message":
        kind, name, user = "queued", f"discourse:queued:{review}", digits(author)
        said = text.from_markdown(string(told, "raw"), string(told, "title"))
    else:
        return None
    remote = {"review": review, "kind": kind, "user": user}
    return _incoming(name, row=row, author=author, said=said, remote=remote)


def _incoming(
    name: str, *, row: Mapping[str, Any], author: Mapping[str, Any], said: text.Text, remote: dict[str, str]
) -> Incoming:
    """Return an item with its flags; that something waits for approval is none."""
    user = string(author, "username")
    post = IncomingPost(
        external_id=name,
        text=said.text,
        posted_at=instant(row, "created_at") or datetime.now(UTC),
        author=IncomingAuthor(
            external_id=remote["user"] or user, display_name=string(author, "name") or user
        ),
        links=said.links,
    )
    complaints = tuple(
        IncomingComplaint(
            post=name,
            reporter=digits(flag.get("user")) or "system",
            is_automated=not digits(flag.get("user")),  # Discourse's own accounts have numbers below 0
            reason=_REASONS.get(string(flag.get("score_type"), "type"), "other"),
            reported_at=instant(flag, "created_at") or post.posted_at,
            external_id=f"discourse:flag:{digits(flag)}",
            note=text.from_html(string(flag, "reason")).text,
        )
        for flag in parts(row, _FLAGS)
        if string(flag.get("score_type"), "type") != "needs_approval"
    )
    # Flags are approved by agreeing with them; posts that wait, by publishing them.
    is_flagged, status = row.get("type") == "ReviewableFlaggedPost", row.get("status")
    is_spam = is_flagged and status in _APPROVED and {told.reason for told in complaints} == {"spam"}
    was_spam = False if status in (REJECTED if is_flagged else _APPROVED) else is_spam or None
    times = filter(None, [instant(flag, "reviewed_at") for flag in parts(row, _FLAGS)])
    piece = Incoming(post=post, complaints=complaints, account=remote.get("kind") == "user", remote=remote)
    return replace(piece, was_spam=was_spam, decided_at=max(times, default=None))


def is_private(post: Mapping[str, Any]) -> bool:
    """Tell whether a post is a direct message; they alone have no category."""
    archetype = string(post, "topic_archetype") or string(post, "archetype")
    return archetype == "private_message" or not (archetype or digits(post, "category_id"))


def mark(row: dict[str, Any]) -> str:
    """Return what changes with a decision about an item, an edit of its post, and another flag."""
    counts = [digits(row, name) for name in ("id", "version", "post_version")]
    return ".".join([*counts, str(len(parts(row, _FLAGS)))])


def rows_of(answer: dict[str, Any], *, is_own: Callable[[dict[str, Any]], bool]) -> list[dict[str, Any]]:
    """Return the items of a queue as web hooks have them, without our own flags."""
    kinds = (_FLAGS, *_REFERENCES.values())
    beside = {kind: {digits(row): row for row in parts(answer, kind)} for kind in kinds}
    own = {key for key, user in beside["users"].items() if is_own(user)}
    beside[_FLAGS] = {key: row for key, row in beside[_FLAGS].items() if digits(row, "user_id") not in own}
    return [_joined(row, beside) for row in parts(answer, "reviewables")]


def _joined(row: dict[str, Any], beside: Mapping[str, Mapping[str, dict[str, Any]]]) -> dict[str, Any]:
    """Return an item with what it names by id in it, as web hooks have it; in answers it stands beside."""
    joined, flags = dict(row), row.get("reviewable_score_ids")
    for name, kind in _REFERENCES.items():
        if key := digits(row, f"{name}_id"):
            joined[name] = beside[kind].get(key, {"id": key})
    if isinstance(flags, list):
        found = filter(None, [beside[_FLAGS].get(str(key)) for key in flags[:_MOST_FLAGS]])
        joined[_FLAGS] = [_joined(flag, {**beside, _FLAGS: {}}) for flag in found]
    return joined
