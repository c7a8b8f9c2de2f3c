"""Every write.

A folder per subject; public functions open their own transaction and take the time as `at`.
"""
