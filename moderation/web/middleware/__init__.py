"""Middleware of the desk: compression, sessions, and what a user sees of a failure."""
