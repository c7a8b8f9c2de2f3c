"""Rows → the frozen record of a post as of an instant (`records`), with links and what was known of author
and likeness.
"""
