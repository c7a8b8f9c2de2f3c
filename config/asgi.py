"""The ASGI entry for the web server: Django's WSGI application behind `config.server`."""

from config import wsgi  # first: it sets Django up
from config.server.front import Front

application = Front(wsgi.application)
