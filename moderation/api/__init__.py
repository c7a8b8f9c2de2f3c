"""The platform API: each view translates HTTP to one operation or query and refuses by name.

No business rule lives here.
"""
