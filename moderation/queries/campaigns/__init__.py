"""Campaigns for the desk (`campaign_pages`) and for platforms, their names and members, and what ties posts
together (`shared_traits`).
"""
