"""Pages for users: views, forms and URLs.

A view reads, calls one operation, and answers a page or, for htmx, the page's named partial.
"""
