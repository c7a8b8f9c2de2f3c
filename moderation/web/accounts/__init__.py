"""Signing in, a user's own account, preferences and shortcuts; users, platforms and reasons for
administrators.
"""
