"""Addresses of Akismet's calls; everything else below them is told in plain text that nothing is there."""

from django.urls import path, re_path

from integrations.akismet import views

urlpatterns = [
    path("1.1/verify-key", views.verify_key),
    path("1.1/comment-check", views.comment_check),
    path("1.1/submit-spam", views.submit_spam),
    path("1.1/submit-ham", views.submit_ham),
    path("1.1/get-subscription", views.get_subscription),
    # Akismet moved this one to 1.2, where newer clients ask for it.
    re_path(r"^1\.[12]/usage-limit$", views.usage_limit),
    re_path(r"^1\.[12]/", views.nothing_here),
]
