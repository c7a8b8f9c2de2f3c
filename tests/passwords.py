"""Passwords hashed as in the product, in few rounds: a million take half a second of each sign-in."""

from django.contrib.auth.hashers import PBKDF2PasswordHasher


class FewRounds(PBKDF2PasswordHasher):
    """Django's own, with the work left out that only holds up who guesses."""

    iterations = 1_000
