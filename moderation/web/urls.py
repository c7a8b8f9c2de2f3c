"""The desk's addresses."""

from __future__ import annotations

from django.urls import path

from moderation.web import (
    account,
    addresses,
    authors,
    bans,
    decisions,
    domains,
    exports,
    filters,
    health,
    queue,
    review,
    search,
)

urlpatterns = [
    path("", account.home, name="home"),
    path("sign-in/", account.SignIn.as_view(), name="sign-in"),
    path("sign-out/", account.SignOut.as_view(), name="sign-out"),
    path("account/", account.account, name="account"),
    path("queue/", queue.page, name="queue"),
    path("review/", review.idle, name="review"),
    path("review/next/", review.claim_next, name="review-next"),
    path("review/<int:case_id>/", review.case, name="case"),
    path("review/<int:case_id>/text/", review.whole_text, name="case-text"),
    path("review/<int:case_id>/claim/", review.claim, name="case-claim"),
    path("review/<int:case_id>/renew/", review.renew, name="case-renew"),
    path("review/<int:case_id>/decide/", review.decide, name="case-decide"),
    path("review/<int:case_id>/skip/", review.skip, name="case-skip"),
    path("review/<int:case_id>/escalate/", review.escalate, name="case-escalate"),
    path("review/<int:case_id>/hand-back/", review.hand_back, name="case-hand-back"),
    path("decisions/", decisions.page, name="decisions"),
    path("decisions/<int:decision_id>/undo/", decisions.undo, name="decision-undo"),
    path("decisions/<int:decision_id>/correct/", decisions.correct, name="decision-correct"),
    path("domains/", domains.page, name="domains"),
    path("domains/<str:name>/", domains.domain, name="domain"),
    path("addresses/<path:address>/", addresses.address, name="address"),
    path("authors/", authors.page, name="authors"),
    path("authors/<int:author_id>/", authors.author, name="author"),
    path("posts/", search.posts, name="posts"),
    path("filters/keep/", filters.keep, name="filter-keep"),
    path("filters/<int:filter_id>/forget/", filters.forget, name="filter-forget"),
    path("bans/", bans.page, name="bans"),
    path("bans/new/", bans.new, name="ban-new"),
    path("bans/<int:ban_id>/lift/", bans.lift, name="ban-lift"),
    path("exports/", exports.page, name="exports"),
    path("exports/<int:export_id>/", exports.row, name="export"),
    path("exports/<int:export_id>/download/", exports.download, name="export-download"),
    path("health/", health.page, name="health"),
]
