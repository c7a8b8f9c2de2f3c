"""Who signs in: users and their devices, platforms and their API keys, reasons, preferences, saved
filters, the demo.
"""
