"""Sentences of evidence: pages behind links, pictures, captions, and the ways to them."""

from django.utils.translation import gettext

from moderation.queries.cases.case_pages import PostRecord
from moderation.web.sentences.sentence import Leaning, Sentence, flag, things

_SPAM = Leaning.SPAM
_LIKELY = 0.5


def _page(value: float, record: PostRecord) -> str:
    if value < _LIKELY:
        return ""
    if any(piece.page is not None and piece.page.asks_password for piece in record.evidence):
        return gettext("The page behind the link reads like phishing")
    return gettext("The page behind the link reads like spam")


def _picture(value: float, _: PostRecord) -> str:
    return gettext("The text in a picture reads like spam") if value >= _LIKELY else ""


def _transcript(value: float, _: PostRecord) -> str:
    return gettext("What is said in a video reads like spam") if value >= _LIKELY else ""


SENTENCES: dict[str, Sentence] = {
    "content.page_probability": Sentence(_page, leans=_SPAM),
    "content.picture_probability": Sentence(_picture, leans=_SPAM),
    "content.transcript_probability": Sentence(_transcript, leans=_SPAM),
    "context.page_password_sent_elsewhere": Sentence(
        flag("A page sends the password that it asks for to another host"), leans=_SPAM
    ),
    "context.page_password_elsewhere": Sentence(
        flag("A page asks for a password on another site than its link names"), leans=_SPAM
    ),
    "context.page_cloaked": Sentence(
        flag("A page shows a browser something else than it shows us"), leans=_SPAM
    ),
    "context.page_differs_from_preview": Sentence(flag("A page is not what its preview says"), leans=_SPAM),
    "context.page_offers_download": Sentence(flag("A page offers a file to download"), leans=_SPAM),
    "context.link_leads_elsewhere": Sentence(flag("A link leads to another site than it names"), leans=_SPAM),
    "context.link_hops": Sentence(
        things("redirect lies", "redirects lie", " between a link and its page"),
        leans=_SPAM,
    ),
    "context.picture_codes": Sentence(
        things("code with a web address is", "codes with a web address are", " in a picture"),
        leans=_SPAM,
    ),
}
