"""What was collected about a post, frozen in its record: pages behind its links, pictures, captions.

Unknown is None. Texts are kept only as far as the content model could read them; they were written by
strangers.
"""

from dataclasses import dataclass

LINK, MEDIA, PREVIEW, CODE, CAPTIONS = "link", "media", "preview", "code", "captions"
BROWSER = "browser"
"""Roles of a piece: a link of the post, a picture or a video's captions sent with it, the preview picture of
a page, a code in a picture, a link as a browser sees it if that differs.
"""
FETCHED = "fetched"
"""The state of a piece that was read completely; other states say why it was not."""
MOST_PIECES = 12
MOST_CHARACTERS = 1_500
"""Of each text: the content model reads 128 tokens, and disguise takes up to ten characters for one."""
MOST_TITLE = 300
MOST_CODES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRead:
    """What a page says: `article` is its main text, `text` all that can be seen.

    `sends_password_elsewhere` says that one form asks for a password and posts to another host.
    `differs_for_browser` says that a browser's user agent is shown another page, `differs_from_preview` that
    the platform's own preview named another; None where nobody looked.
    """

    title: str = ""
    article: str = ""
    text: str = ""
    asks_password: bool = False
    posts_elsewhere: bool = False
    sends_password_elsewhere: bool = False
    offers_download: bool = False
    differs_for_browser: bool | None = None
    differs_from_preview: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureRead:
    """What a picture says; its `text` is None where no text engine read it, `pdq` empty without a hash."""

    text: str | None = None
    codes: tuple[str, ...] = ()
    pdq: str = ""
    pdq_quality: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidencePiece:
    """What one address of a post led to, or what its platform sent with it.

    `state` is how fetching ended. `hops` counts the addresses after the first, `host` and `domain` are the
    last one's; `leads_elsewhere` says that it is on another site than the first. A part that is None was not
    read.
    """

    role: str
    state: str = FETCHED
    hops: int = 0
    host: str = ""
    domain: str = ""
    leads_elsewhere: bool | None = None
    page: PageRead | None = None
    picture: PictureRead | None = None
    transcript: str | None = None
