"""Reputation of links by external providers, queried in a task of its own, never while a post is scored."""
