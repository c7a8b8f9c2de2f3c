"""`make systems`: what the README promises of bare systems, done on them in containers."""
