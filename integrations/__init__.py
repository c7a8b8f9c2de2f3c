"""Platforms connected by typing their address: one module a platform; `connector` is what each offers."""
