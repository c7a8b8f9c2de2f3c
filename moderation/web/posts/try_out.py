"""Try it: what the models and rules would say of a text; nothing is kept."""

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta

from django import forms
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from moderation import scorer
from moderation.models import Platform
from moderation.operations import score_preview
from moderation.operations.infrastructure import limits
from moderation.operations.posts.incoming_post import IncomingAuthor, IncomingPost
from moderation.queries.cases.scored_post import ScoredPost
from moderation.web import access
from moderation.web.cases import evidence, model_view
from moderation.web.text.text_marks import Segment

# Each asks the content model some hundred times, to mark the words.
_LIMIT = limits.Bucket(name="previews", per_minute=20, burst=10)
_OLDEST_DAYS = 36_500
_MAX_TEXT_LENGTH = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A post that is one click away. Its words stay as written: they are the posts' language, not ours."""

    name: str | Promise
    text: str
    account_days: int | None = None
    followers: int | None = None


EXAMPLES = (
    Example(
        name=gettext_lazy("Cheap drugs"),
        text="Cheap Viagra and Cialis, no prescription! Call 1-800-555-0199 now to claim your free sample.",
    ),
    Example(
        name=gettext_lazy("False warning"),
        text="URGENT! Your Microsoft account is locked. Verify within 24 hours: http://micros0ft-login.example/secure",
    ),
    Example(
        name=gettext_lazy("Headline"),
        text="Covid cases rise across Europe as a new variant spreads, health officials say",
    ),
    Example(
        name=gettext_lazy("Explanation"),
        text="Cryptocurrencies are a form of digital cash that can be exchanged without a bank.",
    ),
)
"""The texts of the published demonstration, in words of ours: two of spam, two of none."""


class PreviewForm(forms.Form):
    """A made-up post; most fields are optional."""

    platform = forms.ModelChoiceField(
        queryset=Platform.objects.order_by("name"),
        empty_label=None,
        error_messages={"invalid_choice": gettext_lazy("There is no such platform.")},
    )
    text = forms.CharField(
        max_length=_MAX_TEXT_LENGTH,
        strip=False,
        widget=forms.Textarea,
        error_messages={"required": gettext_lazy("Write a text.")},
    )
    author = forms.CharField(max_length=200, required=False)
    account_days = forms.IntegerField(min_value=0, max_value=_OLDEST_DAYS, required=False)
    followers = forms.IntegerField(min_value=0, max_value=10**9, required=False)

    def post(self, *, at: datetime) -> IncomingPost:
        """Return the post; without an author it comes from an unknown one."""
        values = self.cleaned_data
        days = values["account_days"]
        return IncomingPost(
            external_id="preview",
            text=values["text"],
            posted_at=at,
            author=IncomingAuthor(
                external_id=values["author"] or f"preview-{uuid.uuid4().hex}",
                created_at=None if days is None else at - timedelta(days=days),
                followers=values["followers"],
            ),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the page shows; `segments` are the text, its words marked unless the model did not answer."""

    preview: score_preview.Preview
    view: model_view.ModelView | None
    segments: list[Segment]
    has_marks: bool


@access.signed_in.get_or_post
def page(request: access.DeskRequest) -> HttpResponse:
    """Show the form, and what the models say of the post in it."""
    at = timezone.now()
    form = PreviewForm(request.POST) if request.method == "POST" else PreviewForm(initial=_example(request))
    answer, problem, status = None, "", 200
    if form.is_bound and form.is_valid():
        try:
            limits.take(bucket=_LIMIT, owner=str(request.user.pk), at=at)
            answer = _answer(form, at=at)
        except limits.LimitReached as reached:
            status = 429
            problem = _("That was many at once. Try again in %(seconds)s seconds.") % {
                "seconds": reached.taken.reset_seconds
            }
        except scorer.UNUSABLE:
            status = 503
            problem = _("No release can score here. Health says why.")
    elif form.errors:
        status = 422
    context = {
        "section": "models" if request.user.may_export else "search",
        "at": at,
        "form": form,
        "examples": EXAMPLES,
        "answer": answer,
        "problem": problem,
    }
    return render(request, "posts/try_out.html", context, status=status)


def _example(request: access.DeskRequest) -> dict[str, object]:
    number = request.GET.get("example", "")
    if not (number.isascii() and number.isdigit() and 1 <= int(number[:3]) <= len(EXAMPLES)):
        return {}
    example = EXAMPLES[int(number[:3]) - 1]
    return {
        "text": example.text,
        "account_days": example.account_days,
        "followers": example.followers,
    }


def _answer(form: PreviewForm, *, at: datetime) -> Answer:
    preview = score_preview.run(
        platform=form.cleaned_data["platform"],
        post=form.post(at=at),
        live=scorer.current().live(),  # a person would rather wait while a release is loaded than ask again
        at=at,
    )
    score_preview.mark_words(preview)
    score = preview.score
    scored = ScoredPost(score=score, record=preview.record, case_id=None)
    return Answer(
        preview=preview,
        view=None if score.ban_id else model_view.of(scored, at=at),
        segments=evidence.segments_of(score.revision.text, is_whole=False, words=scored.word_contributions),
        has_marks=bool(scored.word_contributions),
    )
