"""Policies in words: those in force for scoring, lists and trials for pages, what a post matches."""
