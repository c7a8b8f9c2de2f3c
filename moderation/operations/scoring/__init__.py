"""Scores: revisions are claimed (`leases`) and taken step by step to a stored score (`score`),
which is routed to a human or decided (`route`) and sampled for audit (`audit_sample`). What was left open is
found again (`recovery`).
"""
