"""How Spamdesk is brought up: on one machine (local)."""
