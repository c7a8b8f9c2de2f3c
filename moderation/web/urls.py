"""The desk's addresses."""

from __future__ import annotations

from django.urls import path
from django.views.i18n import set_language

from moderation.web import decisions, health, rules
from moderation.web.accounts import account, platforms, preferences, reasons, users
from moderation.web.campaigns import campaigns
from moderation.web.cases import counted, queue, review, review_actions
from moderation.web.entities import addresses, authors, domains
from moderation.web.labels import exports, labels
from moderation.web.posts import saved_filters, search

urlpatterns = [
    path("", account.home, name="home"),
    path("sign-in/", account.SignIn.as_view(), name="sign-in"),
    path("sign-in/device/<str:token>/", account.device, name="sign-in-device"),
    path("sign-out/", account.SignOut.as_view(), name="sign-out"),
    path("account/", account.account, name="account"),
    path("account/password/", account.password, name="account-password"),
    path("language/", set_language, name="set-language"),
    path("account/comfort/", preferences.page, name="comfort"),
    path("account/keys/", preferences.change_keys, name="account-keys"),
    path("account/pace/", preferences.pace, name="pace"),
    path("queue/", queue.page, name="queue"),
    path("campaigns/", campaigns.index, name="campaigns"),
    path("campaigns/<int:campaign_id>/", campaigns.page, name="campaign"),
    path("campaigns/<int:campaign_id>/decide/", campaigns.decide, name="campaign-decide"),
    path("campaigns/<int:campaign_id>/leave-out/", campaigns.leave_out, name="campaign-leave-out"),
    path("campaign-decisions/<int:campaign_decision_id>/undo/", campaigns.undo, name="campaign-undo"),
    path(
        "campaign-decisions/<int:campaign_decision_id>/correct/", campaigns.correct, name="campaign-correct"
    ),
    path("review/", review.idle, name="review"),
    path("review/next/", review_actions.claim_next, name="review-next"),
    path("review/ahead/", review_actions.ahead, name="review-ahead"),
    path("review/beat/", review_actions.beat, name="review-beat"),
    path("review/hand-back/", review_actions.hand_back, name="review-hand-back"),
    path("review/token/", review_actions.token, name="review-token"),
    path("review/<int:case_id>/", review.case, name="case"),
    path("review/<int:case_id>/text/", review.text, name="case-text"),
    path("review/<int:case_id>/claim/", review_actions.claim, name="case-claim"),
    path("review/<int:case_id>/decide/", review_actions.decide, name="case-decide"),
    path("review/<int:case_id>/skip/", review_actions.skip, name="case-skip"),
    path("review/<int:case_id>/escalate/", review_actions.escalate, name="case-escalate"),
    path("review/<int:case_id>/pause/", review_actions.pause, name="case-pause"),
    path("review/<int:case_id>/counted/<slug:kind>/", counted.page, name="case-counted"),
    path("review/<int:case_id>/context/", review.context, name="case-context"),
    path("decisions/", decisions.page, name="decisions"),
    path("decisions/<int:decision_id>/undo/", decisions.undo, name="decision-undo"),
    path("decisions/<int:decision_id>/correct/", decisions.correct, name="decision-correct"),
    path("domains/", domains.page, name="domains"),
    path("domains/<str:name>/", domains.domain, name="domain"),
    path("addresses/<path:address>/", addresses.address, name="address"),
    path("authors/", authors.page, name="authors"),
    path("authors/<int:author_id>/", authors.author, name="author"),
    path("posts/", search.posts, name="posts"),
    path("filters/keep/", saved_filters.keep, name="filter-keep"),
    path("filters/<int:filter_id>/forget/", saved_filters.forget, name="filter-forget"),
    path("rules/", rules.page, name="rules"),
    path("rules/new/", rules.new, name="rule-new"),
    path("rules/<int:rule_id>/", rules.draft, name="rule-draft"),
    path("rules/<int:rule_id>/lift/", rules.lift, name="rule-lift"),
    path("platforms/", platforms.page, name="platforms"),
    path("platforms/<int:platform_id>/", platforms.platform, name="platform"),
    path("platforms/<int:platform_id>/endpoints/", platforms.add_endpoint, name="endpoint-add"),
    path("endpoints/<int:endpoint_id>/secret/", platforms.rotate_secret, name="endpoint-secret"),
    path("endpoints/<int:endpoint_id>/remove/", platforms.remove_endpoint, name="endpoint-remove"),
    path("platforms/<int:platform_id>/keys/", platforms.issue_key, name="key-issue"),
    path("keys/<int:key_id>/revoke/", platforms.revoke_key, name="key-revoke"),
    path("people/", users.page, name="users"),
    path("people/<int:user_id>/", users.change, name="user"),
    path("people/<int:user_id>/switch/", users.switch, name="user-switch"),
    path("people/<int:user_id>/reset/", users.reset, name="user-reset"),
    path("reasons/", reasons.page, name="reasons"),
    path("reasons/<int:reason_id>/", reasons.change, name="reason"),
    path("labels/", labels.page, name="labels"),
    path("labels/<int:platform_id>/draw/", labels.draw, name="label-draw"),
    path("labels/<int:platform_id>/settings/", labels.settings, name="label-settings"),
    path("labels/draws/<int:draw_id>/cancel/", labels.cancel, name="label-draw-cancel"),
    path("exports/", exports.page, name="exports"),
    path("exports/<int:export_id>/", exports.row, name="export"),
    path("exports/<int:export_id>/download/", exports.download, name="export-download"),
    path("health/", health.page, name="health"),
]
