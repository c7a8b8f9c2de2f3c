"""Machine translation of posts, for people to read: a translation fetched from a service and
kept (`translate`). No model reads it.
"""
