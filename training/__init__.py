"""Offline training: read labelled texts and records, fit models, export them for Triton.

May import anything in `scoring`; nothing imports it. Heavy libraries are imported inside functions.
"""
