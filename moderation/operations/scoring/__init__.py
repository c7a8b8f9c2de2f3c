"""Scores: revisions are claimed and scored (`score`), routed to a human or decided (`route`), and sampled
for audit.
"""
