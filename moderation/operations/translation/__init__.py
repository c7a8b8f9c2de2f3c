"""Machine translation of posts, for people to read: what a service does and the one that is there
(`libre_translate`), and a translation fetched and kept (`translate`). No model reads it.
"""
