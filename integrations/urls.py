"""Routes of integrations: pages of the desk, and the doors of platforms."""

from django.urls import path

from integrations import matrix_door, views

pages = [
    path("integrations/", views.page, name="integrations"),
    path("integrations/new/<slug:kind>/", views.connect, name="integration-connect"),
    path("integrations/signed-in/", views.signed_in, name="integration-signed-in"),
    path("integrations/<int:integration_id>/", views.integration, name="integration"),
    path("integrations/<int:integration_id>/change/", views.change, name="integration-change"),
    path("integrations/deliveries/<int:exchange_id>/again/", views.read_again, name="integration-again"),
]
urlpatterns = [
    *pages,
    path("integrations/matrix/<str:door>/<str:callback>", matrix_door.answer),
    path("integrations/matrix-closed/<str:door>/<str:callback>", matrix_door.answer, {"is_closed": True}),
    path("integrations/door/<str:door>", views.door, name="integration-door"),
]
