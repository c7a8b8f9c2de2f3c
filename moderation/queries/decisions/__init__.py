"""Decisions as the desk pages through them, as platforms may see them, and the feeds of both."""
