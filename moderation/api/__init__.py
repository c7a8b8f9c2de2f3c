"""The platform API: translates HTTP to one operation or query each and refuses by name.

No business rule lives here.
"""
