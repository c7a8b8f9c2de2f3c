"""The web server: the layer between the network and Django's threads.

`python -m config.server` starts it. A process accepts requests on an event loop (`front`), reads each body
with a deadline (`bodies`), lets a bounded number wait in a fair order (`fair_queue`) for a thread that runs
Django (`pool`), and sends the answer without holding that thread (`answers`). The parent process (`watch`)
replaces a process that hangs.
"""
