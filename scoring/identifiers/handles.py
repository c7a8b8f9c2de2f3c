"""Handles: names on other platforms, as @name, as a link, or with the platform's name before them."""

import re
from dataclasses import dataclass

from scoring.identifiers.skeleton import skeleton

_FOUND_AT_MOST = 200
_SHORTEST, _LONGEST = 3, 64
_HOSTS = {
    "t.me": "telegram", "telegram.me": "telegram", "telegram.dog": "telegram",
    "instagram.com": "instagram", "instagr.am": "instagram",
    "x.com": "x", "twitter.com": "x",
    "tiktok.com": "tiktok", "youtube.com": "youtube", "snapchat.com": "snapchat",
    "facebook.com": "facebook", "fb.me": "facebook", "m.me": "facebook",
    "onlyfans.com": "onlyfans", "cash.app": "cashapp", "discord.gg": "discord", "vk.com": "vk",
}  # fmt: skip
_WORDS = {
    "telegram": "telegram", "tele": "telegram", "tg": "telegram",
    "instagram": "instagram", "insta": "instagram", "ig": "instagram",
    "twitter": "x", "x": "x", "tiktok": "tiktok", "youtube": "youtube", "yt": "youtube",
    "snapchat": "snapchat", "snap": "snapchat", "sc": "snapchat",
    "facebook": "facebook", "fb": "facebook", "onlyfans": "onlyfans", "cashapp": "cashapp",
    "discord": "discord", "vk": "vk",
}  # fmt: skip
PLATFORMS = frozenset(_HOSTS.values())
"""Platforms that a handle can name."""

# Parts of addresses that are pages of the platform itself.
_PAGES = frozenset(
    {"share", "intent", "reel", "reels", "stories", "explore", "watch", "groups", "pages", "joinchat"}
)
_NAME = rf"[@$]?(\w[\w.]{{{_SHORTEST - 2},{_LONGEST - 2}}}\w)"
_LINK = re.compile(
    rf"(?<![\w.-])(?:https?://)?(?:www\.|m\.)?({'|'.join(map(re.escape, _HOSTS))})/(?:s/|add/)?{_NAME}",
    re.IGNORECASE,
)
_MENTION = re.compile(
    rf"(?:(?<!\w)({'|'.join(_WORDS)})\b[\s:=\-]{{0,3}}(?:is\s)?[\s:=\-]{{0,3}})?(?<![\w@./])[@]{_NAME[5:]}",
    re.IGNORECASE,
)
_GIVEN = re.compile(rf"(?:({'|'.join(sorted(PLATFORMS))})\s*[:/ ]\s*)?@?{_NAME[5:]}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Handle:
    """A name's skeleton, and the platform where the text tells it."""

    platform: str
    skeleton: str


def canonical(text: str) -> str:
    """Return `@name` for a name anywhere, `telegram/@name` for one platform's; "" where it is no handle."""
    name = text.strip()
    link = _LINK.fullmatch(name.rstrip("/"))
    if link is not None and link[2].lower() not in _PAGES:
        return f"{_HOSTS[link[1].lower()]}/@{link[2].lower()}"
    match = _GIVEN.fullmatch(name)
    if match is None or ("@" not in name and not match[1]):
        return ""
    return (f"{match[1].lower()}/" if match[1] else "") + f"@{match[2].lower()}"


def found(text: str) -> frozenset[Handle]:
    """Return the handles that a text names."""
    handles: set[Handle] = set()
    for link in _LINK.finditer(text):
        if link[2].lower() not in _PAGES:
            handles.add(Handle(_HOSTS[link[1].lower()], skeleton(link[2])))
        if len(handles) == _FOUND_AT_MOST:
            break
    for mention in _MENTION.finditer(text):
        handles.add(Handle(_WORDS.get((mention[1] or "").lower(), ""), skeleton(mention[2])))
        if len(handles) >= 2 * _FOUND_AT_MOST:
            break
    return frozenset(handles)


def anchor(value: str) -> str:
    """Return the name's skeleton, by which a rule is looked up."""
    return skeleton(value.rpartition("@")[2])


def anchors(handles: frozenset[Handle]) -> set[str]:
    return {handle.skeleton for handle in handles}


def holds(handles: frozenset[Handle], value: str) -> bool:
    """Tell whether a text names the handle or one that looks like it; a platform's only as such."""
    platform, _, name = value.rpartition("@")
    looks = skeleton(name)
    return any(
        handle.skeleton == looks and platform.rstrip("/") in ("", handle.platform) for handle in handles
    )
