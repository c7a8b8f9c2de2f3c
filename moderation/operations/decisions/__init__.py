"""Decisions with all that belongs to them (`recording`), and what follows from one in the same
transaction.
"""
