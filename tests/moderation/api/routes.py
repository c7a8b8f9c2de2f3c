"""Every operation of the API: the methods of its views, at their addresses."""

import re

from moderation.api.urls import urlpatterns
from moderation.api.views.base import ApiView

OPERATIONS = [
    (method, "/" + re.sub(r"<\w+:(\w+)>", r"{\1}", str(route.pattern)))
    for route in urlpatterns
    if issubclass(view := getattr(route.callback, "view_class", object), ApiView)
    for method in ("GET", "POST", "PUT", "PATCH", "DELETE")
    if hasattr(view, method.lower())
]
