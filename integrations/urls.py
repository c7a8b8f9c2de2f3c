"""Routes of integrations: pages of the desk, and the hooks of platforms."""

from django.urls import path

from integrations import history_views, matrix_hook, views

pages = [
    path("integrations/", views.page, name="integrations"),
    path("integrations/new/<slug:kind>/", views.connect, name="integration-connect"),
    path("integrations/signed-in/", views.signed_in, name="integration-signed-in"),
    path("integrations/<int:integration_id>/", views.integration, name="integration"),
    path("integrations/<int:integration_id>/change/", views.change, name="integration-change"),
    path("history/", history_views.page, name="histories"),
    path("history/<int:history_id>/", history_views.history_page, name="history"),
    path("history/<int:history_id>/remove/", history_views.remove, name="history-remove"),
    path("history/<int:history_id>/posts.csv", history_views.posts_csv, name="history-csv"),
    path("integrations/deliveries/<int:exchange_id>/again/", views.read_again, name="integration-again"),
]
urlpatterns = [
    *pages,
    path("integrations/matrix/<str:hook>/<str:callback>", matrix_hook.answer),
    path("integrations/matrix-closed/<str:hook>/<str:callback>", matrix_hook.answer, {"is_closed": True}),
    path("integrations/hook/<str:hook>", views.hook, name="integration-hook"),
]
