"""The web server: waitress, in processes that a parent watches.

`python -m config.server` starts it. A process (`serve`) reads a request completely before one of its threads
runs Django, and sends the answer without holding that thread. The parent replaces one that hangs (`watch`).
"""
