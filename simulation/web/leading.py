"""What each post of a world leads to."""

import dataclasses
import random
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from simulation import hosts
from simulation.platforms import Sent
from simulation.texts import CuratedTexts, Families, Text
from simulation.web import families, pictures, planning, speech
from simulation.web.pictures import Alteration, Picture, Show
from simulation.web.shares import MODES, Mode, Shares, Where
from simulation.web.simulated_web import PICTURE_PATH
from simulation.web.sites import Behaviour, Site, key

MEDIA_HOST = "media.social.example"


@dataclass(frozen=True, slots=True, kw_only=True)
class Led:
    """A post's text and what it leads to. `hides_in` says where spam hides whose words are harmless,
    from the family `words`. A `twin` is an honest post that leads on in the same way.
    """

    text: Text
    sites: tuple[Site, ...] = ()
    media: tuple[str, ...] = ()
    transcripts: tuple[dict[str, Any], ...] = ()
    spoken: tuple[str, ...] = ()
    """Families of the transcripts."""
    hides_in: str = ""
    words: str = ""
    twin_in: str = ""

    @property
    def families(self) -> tuple[str, ...]:
        """Return the families of all pages, also those that only some see, and of pictures and captions."""
        media = [_picture_of(name) for name in (*self.media, *self._previews)]
        of_sites = (name for site in self.sites for name in (site.family, site.face) if name)
        names = (*of_sites, *(image.family for image in media if image.show != Show.PHOTO), *self.spoken)
        return tuple(dict.fromkeys(names))

    @property
    def tricks(self) -> tuple[str, ...]:
        """Return how its pages and its own pictures keep from being known for what they are."""
        media = [_picture_of(name) for name in self.media]
        tricks = [str(site.behaviour) for site in self.sites if site.behaviour != Behaviour.PLAIN]
        tricks += [Show.WORDS.value for image in media if image.show == Show.WORDS]
        tricks += [image.alteration.value for image in media if image.alteration != Alteration.NONE]
        return tuple(dict.fromkeys(tricks))

    @property
    def _previews(self) -> Iterator[str]:
        return (site.preview for site in self.sites if site.preview)

    @property
    def shown(self) -> dict[str, Any]:
        """Return what the platform sends of it beside the text."""
        fields = {"media_urls": list(self.media), "transcripts": list(self.transcripts)}
        return {name: some for name, some in fields.items() if some}


def _picture_of(url: str) -> Picture:
    return pictures.pool()[url.rpartition("/")[2]]


class Leading:
    """Decides what posts lead to. Without links and media of its platform a post leads nowhere."""

    def __init__(self, *, seed: int, leads: Mode, sent: Sent, texts: CuratedTexts) -> None:
        self._seed = f"web-{seed}"
        self._rng = random.Random(self._seed)
        self._shares: Shares = MODES[leads]
        self._held_out = texts.families == Families.KEPT_OUT
        self._sent = sent
        self._taken: set[str] = set()
        self._texts = texts

    def lead(self, text: Text, *, campaign: str | None, at: datetime) -> Led:
        """Return what a post leads to; the text of hidden spam is replaced by harmless words."""
        rng, is_spam = self._rng, text.kind.is_spam
        hidden = rng.random() < (self._hidden_share(campaign) if is_spam else self._shares.twin)
        if hidden and self._leads_anywhere and (is_spam or not text.urls):
            place = self._where()
            if not is_spam:
                return dataclasses.replace(self._through(place, text, at=at), twin_in=place.value)
            if talk := self._harmless(language=text.language):
                led = self._through(place, dataclasses.replace(talk, kind=text.kind), at=at)
                return dataclasses.replace(led, hides_in=place.value, words=talk.kind.name)
        led = Led(text=text, sites=self._sites(text, is_open=True, at=at))
        return self._with_media(led) if self._sent.has_media else led

    @property
    def _leads_anywhere(self) -> bool:
        return self._sent.has_links or self._sent.has_media

    def _hidden_share(self, campaign: str | None) -> float:
        """Campaigns say the same again, so those of the open kind keep their words."""
        return 0.0 if campaign and self._shares.hidden < 1 else self._shares.hidden

    def _where(self) -> Where:
        possible = dict.fromkeys(Where, self._sent.has_media) | {Where.PAGE: self._sent.has_links}
        weights = {place: weight for place, weight in self._shares.where.items() if possible[place]}
        return planning.drawn(weights, rng=self._rng)

    def _harmless(self, *, language: str) -> Text | None:
        """Return an honest post whose words are harmless, None where a language has none without a link."""

        def is_harmless(one: Text) -> bool:
            return one.language == language and not one.is_hard and not one.urls

        with suppress(LookupError):
            return self._texts.take(rng=self._rng, is_spam=False, among=is_harmless)
        return None

    def _through(self, where: Where, text: Text, *, at: datetime) -> Led:
        """Return a post that says the rest on a page, in a picture, behind a code or in a video."""
        if where == Where.PAGE:
            url = self._fresh_url(text)
            linked = dataclasses.replace(text, text=f"{text.text} {url}")
            return Led(text=linked, sites=self._sites(linked, is_open=False, at=at))
        if where == Where.CAPTIONS:
            return self._spoken(Led(text=text))
        show = (
            Show.CODE
            if where == Where.CODE
            else planning.drawn({Show.POSTER: 0.6, Show.WORDS: 0.4}, rng=self._rng)
        )
        return Led(text=text, media=(self._picture(show, text),))

    def _fresh_url(self, text: Text) -> str:
        """Return a link that leads where nobody's link led before."""
        is_spam, rng = text.kind.is_spam, self._rng
        make = hosts.spam_host if is_spam else hosts.talk_host
        while key(url := hosts.url_on(make(rng=rng), is_spam=is_spam, rng=rng)) in self._taken:
            pass
        return url

    def _with_media(self, led: Led) -> Led:
        """Add pictures and videos as people and spammers do."""
        rng, text = self._rng, led.text
        is_spam = text.kind.is_spam
        share = self._shares.spam_picture if is_spam else self._shares.talk_picture
        if rng.random() < share:
            is_photo = rng.random() < self._shares.picture_without_text[is_spam]
            shows = {Show.POSTER: 45, Show.WORDS: 40, Show.CODE: 8}
            led = dataclasses.replace(
                led, media=(self._picture(Show.PHOTO if is_photo else planning.drawn(shows, rng=rng), text),)
            )
        if rng.random() < (self._shares.spam_captions if is_spam else self._shares.talk_captions):
            led = self._spoken(led)
        return led

    def _sites(self, text: Text, *, is_open: bool, at: datetime) -> tuple[Site, ...]:
        self._taken.update(key(url) for url in text.urls)
        return tuple(
            planning.site(
                url,
                kind=text.kind,
                language=text.language,
                at=at,
                is_open=is_open,
                shares=self._shares,
                held_out=self._held_out,
                seed=self._seed,
            )
            for url in dict.fromkeys(text.urls)
        )

    def _picture(self, show: Show, text: Text) -> str:
        picture = pictures.choose(
            show,
            is_hostile=text.kind.is_spam and show != Show.PHOTO,
            held_out=self._held_out,
            kind=text.kind.name,
            alteration=planning.drawn(self._shares.alterations, rng=self._rng),
            rng=self._rng,
        )
        return f"https://{MEDIA_HOST}{PICTURE_PATH}{picture.name}"

    def _spoken(self, led: Led) -> Led:
        """Add the captions of a video."""
        pages = self._rng.choice(families.page_kinds(led.text.kind.name))
        family = self._rng.choice(families.of_kind(pages, held_out=self._held_out))
        captions = speech.captions(family, rng=self._rng)
        return dataclasses.replace(led, transcripts=(captions,), spoken=(family.name,))
