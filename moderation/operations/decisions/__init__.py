"""Decisions with label, audit entry and messages (`recording`), and what follows in the same transaction."""
