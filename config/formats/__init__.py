"""How each language writes dates and numbers, where it differs from Django's own tables."""
