"""What the module of a platform offers: whom we are signed in as, what came in, what a decision does there.

A connector holds no state and uses no database. Everything that it must know later about a post, such as the
platform's number of a report, it puts into `Incoming.remote`, and gets it back with each `Order`. Deliveries
and orders may come twice, or again after a kill: `act` and `undo` look at the platform first, and do nothing
where nothing is left to do.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from abc import ABC, abstractmethod
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from integrations.calls import Calls, Unusable
from integrations.fields import string
from moderation.operations.posts.complaints import IncomingComplaint
from moderation.operations.posts.incoming_post import IncomingPost

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


class BadSignature(Exception):
    """A delivery is not signed by the platform: nothing of it is read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """What a platform tells of one post or account; `complaints` are reports of it that are new or known.

    With `account` the complaints are about the author of `post` (whose text is display name, bio and profile
    fields), not about something they wrote. `remote` is merged into what is kept for the connector. Where
    `is_removed`, the post is gone there, and nothing of it is stored; where `is_direct`, it is a direct
    message, taken in if allowed. Whether moderators took it for spam, and when, matters for `history` alone.
    """

    post: IncomingPost
    complaints: tuple[IncomingComplaint, ...] = ()
    account: bool = False
    remote: Mapping[str, Any] = field(default_factory=dict)
    is_removed: bool = False
    is_direct: bool = False
    was_spam: bool | None = None
    decided_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Some of what is new since a cursor, and the next cursor; `is_last` where nothing more waits now."""

    incoming: tuple[Incoming, ...]
    cursor: Mapping[str, Any]
    is_last: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A decision to carry out.

    `action` is one of "nothing", "note", "hide", "sensitive", "limit", "remove", "suspend".

    `acted` is what `act` returned for the decision that is undone. `note` is a sentence for the platform's
    log. `is_shared`: another decision asks for the same of the account, which stays so. `reopens`: what was
    reported is open again, since the decision that follows does not settle it.
    """

    decision_id: str
    external_id: str
    verdict: str
    reason: str
    action: str
    until: datetime | None
    note: str
    remote: Mapping[str, Any]
    acted: Mapping[str, Any] = field(default_factory=dict)
    is_shared: bool = False
    reopens: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Credential:
    """Something that a person types once at set-up; a secret is stored encrypted and never shown again."""

    name: str
    label: StrOrPromise
    help: StrOrPromise = ""
    is_secret: bool = False


class Connector(ABC):
    """One platform. `credentials` has what was typed, and what signing in gave."""

    name: ClassVar[str]
    """As it stands in addresses: lower-case letters."""
    title: ClassVar[str]
    asks: ClassVar[tuple[Credential, ...]] = ()
    actions: ClassVar[tuple[str, ...]]
    """What it can do on the platform, mildest first."""
    final: ClassVar[tuple[str, ...]] = ()
    """Which of these nothing takes back there."""
    default_action: ClassVar[str]
    """What a spam decision by a person does unless the platform chooses otherwise."""
    hook: ClassVar[str] = ""
    """Where the platform sends to below /integrations/: "hook" for `received`, empty for nowhere."""
    has_history: ClassVar[bool] = False
    """It can tell what moderators did: `history` is there."""
    polls_every_seconds: ClassVar[int] = 30

    def __init__(self, http: Calls, credentials: Mapping[str, str]) -> None:
        self.http, self.credentials = http, credentials

    @abstractmethod
    def check(self) -> str:
        """Return whom we are signed in as, in words. Raises Unusable with what to do, or Unreachable."""

    @abstractmethod
    def poll(self, cursor: Mapping[str, Any]) -> Page:
        """Return what is reported there and new; an empty cursor asks for all that is still open."""

    def history(self, *, since: datetime) -> Iterator[Incoming]:
        """Yield what was reported since and is decided, the latest first; `was_spam` is None if unclear."""
        raise NotImplementedError

    @abstractmethod
    def act(self, order: Order) -> Mapping[str, Any]:
        """Carry out a decision, once; return what `undo` must know."""

    @abstractmethod
    def undo(self, order: Order) -> None:
        """Take back what `act` did, once. Raises Unusable where it cannot."""

    @classmethod
    def received(cls, headers: Mapping[str, str], body: bytes, *, secret: str) -> tuple[Incoming, ...]:
        """Return what a delivery tells. `headers` have lower-case names. Raises BadSignature, ValueError."""
        raise NotImplementedError


class SignsIn(Connector):
    """A platform where a moderator allows us `scopes` in the browser, by OAuth as Mastodon's API has it."""

    scopes: ClassVar[str]

    @classmethod
    def register(cls, http: Calls, *, redirect_uri: str) -> dict[str, str]:
        """Make an application of ours on the server; needs no account there."""
        app = {"client_name": "Spamdesk", "redirect_uris": redirect_uri, "scopes": cls.scopes}
        answer = http.asked("/api/v1/apps", json=app).json
        keys = {name: string(answer, name) for name in ("client_id", "client_secret")}
        if not all(keys.values()):
            raise Unusable(_("There is no Mastodon server at this address."))
        return {**keys, "code_verifier": secrets.token_urlsafe(48)}

    @classmethod
    def authorize_url(
        cls, base_url: str, credentials: Mapping[str, str], *, redirect_uri: str, state: str
    ) -> str:
        """Return the server's page that asks the moderator. Servers before 4.3 do not read the challenge."""
        challenge = urlsafe_b64encode(hashlib.sha256(credentials["code_verifier"].encode()).digest())
        asked = {"response_type": "code", "client_id": credentials["client_id"], "redirect_uri": redirect_uri}
        asked |= {"scope": cls.scopes, "state": state, "code_challenge_method": "S256"}
        asked["code_challenge"] = challenge.rstrip(b"=").decode()
        return f"{base_url.rstrip('/')}/oauth/authorize?{urlencode(asked)}"

    @classmethod
    def exchange(
        cls, http: Calls, credentials: Mapping[str, str], *, code: str, redirect_uri: str
    ) -> dict[str, str]:
        """Return the access token, which lasts until the moderator revokes it."""
        asked = {"grant_type": "authorization_code", "code": code, "redirect_uri": redirect_uri}
        known = {name: credentials[name] for name in ("client_id", "client_secret", "code_verifier")}
        answer = http.asked("/oauth/token", json={**asked, **known, "scope": cls.scopes}, accepts=(400, 401))
        if not (token := string(answer.json, "access_token")):
            raise Unusable(_("Mastodon did not accept the sign-in; begin again."))
        return {"access_token": token}


def signed(signature: str, body: bytes, *, secret: str) -> Any:
    """Return the JSON of a delivery whose signature is its HMAC. Raises BadSignature, ValueError."""
    digest = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    given = signature.encode("utf-8", "replace")
    if not secret or not hmac.compare_digest(given, f"sha256={digest}".encode()):
        raise BadSignature("The delivery is not signed with the secret of this integration.")
    try:
        return json.loads(body)
    except RecursionError as nested:
        raise ValueError("The delivery is nested too deeply.") from nested
