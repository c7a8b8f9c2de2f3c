"""Campaigns: the list, one with its members, deciding it."""
