"""Stored figures of quality: `refresh` estimates them anew."""
