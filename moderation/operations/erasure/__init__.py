"""Erasure of words and addresses (`erase`, `forget`), kept across restores (`journal`, `backup`,
`restore`).
"""
