"""Middleware of the desk: compression, when a session was used, and what a user sees when a request fails."""
