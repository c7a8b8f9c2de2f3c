"""Who signs in: users, their devices and sessions, platforms and their API keys, reasons, preferences, saved
filters, the demo.
"""
