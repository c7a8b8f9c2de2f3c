"""Middleware of the desk: compression, and what a user sees when a request fails."""
