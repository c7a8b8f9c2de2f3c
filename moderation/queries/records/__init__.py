"""Rows → the frozen record of a post as of an instant (`records`), with its links and histories; scores whose
records can be scored again (`stored_scores`)."""
