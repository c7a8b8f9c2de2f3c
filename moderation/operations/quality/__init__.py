"""Stored figures of quality: `refresh` estimates them anew, and begins or stops removing alone."""
