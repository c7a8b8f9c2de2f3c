"""The endpoints of Akismet, so that existing plugins work by changing one host; all words are theirs.

https://akismet.com/developers/detailed-docs/
"""
