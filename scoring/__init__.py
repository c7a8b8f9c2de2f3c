"""Spamdesk's scoring library: a function from a frozen record to a score. No Django, no clock."""
