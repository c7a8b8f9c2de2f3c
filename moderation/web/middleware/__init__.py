"""Middleware of the desk: compression, sessions, reads from a standby, and what a user sees of a failure."""
