"""Machine translation of posts, for people to read: a service
(`libre_translate`), and a translation fetched and kept (`translate`). No model reads it.
"""
