"""The simulated platform: a seeded world of authors, posts and complaints whose truth is known.

Pure: no rows, no clock, no network. The management commands send its events or replay them;
nothing here is real.
"""
