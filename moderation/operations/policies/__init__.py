"""Policies in words: what a text may be about, tried on decided posts before it begins.

`policy` drafts, activates and ends them, `trial` tries a draft, `matches` finds what they match while posts
are scored, `topics` asks for a platform.
"""
