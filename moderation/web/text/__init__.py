"""Hostile text made inert: segments that a template escapes, with deceiving characters marked."""
