"""A post in the reader's language, by machine, on request."""

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from moderation.models import Revision, User, desk_settings
from moderation.operations.refusals import Erased
from moderation.operations.translation import translate
from moderation.operations.translation.translate import Busy, KeyRefused, NotTranslated, Unsupported
from moderation.queries import post_pages
from moderation.web import access
from moderation.web.cases import evidence


def is_foreign(revision: Revision, user: User) -> bool:
    """Tell whether a revision has text that the user may not read, and a service can translate it."""
    if not desk_settings.current().translation_url:
        return False
    languages = {_primary(language) for language in (*user.languages, _of_desk())}
    return bool(revision.text.strip()) and _primary(revision.language) not in languages


@access.deciders.post
def page(request: access.DeskRequest, post_id: int, number: int) -> HttpResponse:
    """Show the machine translation of a revision, or say why there is none; for htmx only that."""
    revision = post_pages.revision(post_id=post_id, number=number)
    context: dict[str, object] = {"section": "search", "revision": revision}
    try:
        translation = translate.translate(
            revision=revision, language=_of_desk(), actor=request.user, at=timezone.now()
        )
    except Erased:
        context["problem"] = _("The post was erased.")
    except NotTranslated as refusal:
        context["problem"] = _words(refusal)
    else:
        context |= {
            "translation": translation,
            "segments": evidence.segments_of(translation.text, is_whole=True),
        }
    template = "posts/translation.html#translation" if request.htmx else "posts/translation.html"
    return render(request, template, context)


def _words(refusal: NotTranslated) -> str:
    """Say why there is no translation, and what to do."""
    if isinstance(refusal, translate.NotSetUp):
        return _("No translation service is set up; an administrator names one in Settings.")
    if isinstance(refusal, Busy):
        return _("The translation service has too much to do. Try again in a minute.")
    if isinstance(refusal, KeyRefused):
        return _("The translation service refused the key; an administrator corrects it in Settings.")
    if isinstance(refusal, Unsupported):
        return _("The translation service cannot translate this text into your language.")
    return _(
        "The translation service cannot be reached. Try again in a minute; if that does not help, tell an"
        " administrator."
    )


def _of_desk() -> str:
    return _primary(get_language() or "en")


def _primary(language: str) -> str:
    return language.lower().partition("-")[0]
