"""The endpoints of Akismet, so that existing plugins work after changing one host; names are Akismet's.

https://akismet.com/developers/detailed-docs/
"""
