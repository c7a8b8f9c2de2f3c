"""The page of a site, as HTML: words of its family, forms and downloads of its kind."""

import random
from html import escape
from urllib.parse import urlsplit

from simulation.web import families, layouts, wording
from simulation.web.families import Family
from simulation.web.layouts import Dressed
from simulation.web.sites import Behaviour, Site
from simulation.web.wording import Said

_ASK_PASSWORD = {
    "phishing_login": 0.9,
    "login_page": 0.95,
    "crypto_doubling": 0.3,
    "prize_survey": 0.15,
    "loan_form": 0.3,
    "forum_thread": 0.15,
    "media_page": 0.15,
    "boost_shop": 0.2,
    "casino": 0.3,
    "shop_page": 0.1,
}
_OFFER_FILES = {"cracked_download": 0.9, "casino": 0.15, "call_us": 0.2, "blog_post": 0.4, "reference": 0.1}
# Where what is typed goes: kits of phishers post to themselves or to a collector, letters to a service.
_PASSWORD_ELSEWHERE = {True: 0.45, False: 0.08}
_NEWSLETTER_SHARE, _NEWSLETTER_ELSEWHERE = 0.25, 0.6
_COLLECTORS = ("collect-form.example", "gate-in.test", "forms.example", "api-post.example")
_SIGN_IN_SERVICES = ("accounts-hub.example", "id-service.example", "forms.example")
_MAIL_SERVICES = ("mail-letters.example", "forms.example", "newsletter-hub.example")
_FILES = {
    True: ("setup.exe", "Crack_v{n}.zip", "Player.apk", "update_{n}.msi", "invoice{n}.iso"),
    False: ("release-{n}.zip", "editor-{n}.dmg", "notes.pdf.zip", "client_{n}.deb", "slides-{n}.zip"),
}


def page(site: Site, *, is_face: bool) -> str:
    """Return the HTML of a site, or of the harmless face that it shows to some."""
    family = families.families()[site.face if is_face else site.family]
    rng = random.Random(f"page {site.look} {family.name}")
    host = urlsplit(site.urls[-1]).hostname or ""
    name = wording.site_name(host)
    kind = "" if is_face else site.kind
    words = wording.said(family, post_kind=kind, language=site.language, site=name, rng=rng)
    body = body_of(family, said=words, host=host, rng=rng)
    head = _head(
        site, said=_previewed(site, words, name=name, is_face=is_face), title=words.title, host=host, rng=rng
    )
    language = escape(site.language or "en")
    return f'<!doctype html><html lang="{language}"><head>{head}</head><body>{body}</body></html>'


def body_of(family: Family, *, said: Said, host: str, rng: random.Random) -> str:
    """Return what stands in the body of a page: its words in a layout, with what surrounds them."""
    name = wording.site_name(host)
    layout = layouts.choose(rng)
    page = Dressed(
        said=said,
        site=name,
        navigation=rng.sample(wording.words("navigation"), k=rng.randint(3, 6)),
        cookies=wording.furniture("cookies", site=name, rng=rng),
        footer=wording.furniture("footer", site=name, rng=rng),
        extra=_extra(family, host=host, rng=rng),
    )
    return layouts.built(page, layout=layout)


def missing(host: str) -> str:
    """Return the page of a site that has none at this address."""
    body = f"<h1>Not found</h1>{escape(host)}"
    return f"<!doctype html><html><head><title>404</title></head><body>{body}</body></html>"


def _previewed(site: Site, said: Said, *, name: str, is_face: bool) -> Said:
    """Return what the preview says: the page's own words, or those of the face."""
    if site.behaviour != Behaviour.PREVIEW or is_face or not site.face:
        return said
    face = families.families()[site.face]
    return wording.english(face, site=name, rng=random.Random(f"preview {site.look}"))


def _head(site: Site, *, said: Said, title: str, host: str, rng: random.Random) -> str:
    tags = ['<meta charset="utf-8">', f"<title>{escape(title)}</title>"]
    if rng.random() < 0.75:
        tags.append(f'<meta property="og:title" content="{escape(said.title)}">')
        tags.append(f'<meta property="og:site_name" content="{escape(wording.site_name(host))}">')
        tags.append(f'<meta property="og:description" content="{escape(said.paragraphs[0][:150])}">')
    if rng.random() < 0.6:
        tags.append(f'<meta name="description" content="{escape(said.paragraphs[-1][:150])}">')
    if site.preview:
        tags.append(f'<meta property="og:image" content="https://{host}/img/{site.preview}">')
    return "".join(tags)


def _extra(family: Family, *, host: str, rng: random.Random) -> str:
    parts = []
    if rng.random() < _ASK_PASSWORD.get(family.kind, 0.02):
        others = _COLLECTORS if family.is_hostile else _SIGN_IN_SERVICES
        elsewhere = rng.random() < _PASSWORD_ELSEWHERE[family.is_hostile]
        target = f"https://{rng.choice(others)}/in" if elsewhere else f"https://{host}/session"
        parts.append(
            f'<form method="post" action="{target}"><input name="user"><input type="password" name="word">'
            "<button>OK</button></form>"
        )
    if rng.random() < _NEWSLETTER_SHARE:
        elsewhere = rng.random() < _NEWSLETTER_ELSEWHERE
        target = f"https://{rng.choice(_MAIL_SERVICES)}/add" if elsewhere else "/newsletter"
        words = wording.furniture("newsletter", site=host, rng=rng)
        parts.append(f'<form action="{target}"><label>{escape(words)}<input type="email"></label></form>')
    if rng.random() < _OFFER_FILES.get(family.kind, 0.01):
        name = rng.choice(_FILES[family.is_hostile]).replace("{n}", str(rng.randint(1, 99)))
        parts.append(f'<a href="/files/{name}">{escape(name)}</a>')
    return "".join(parts)
