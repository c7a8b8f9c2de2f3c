"""Pages for moderators: views, forms and their addresses.

A view reads, calls one operation, and answers a page or, for htmx, the page's named partial.
"""
