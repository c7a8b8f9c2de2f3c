"""Decisions with label, audit entry and messages (`recording`), and the `actions` that follow from them."""
