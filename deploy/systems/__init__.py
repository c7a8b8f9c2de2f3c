"""Bare systems to try the Makefile's commands on, and what they need."""
