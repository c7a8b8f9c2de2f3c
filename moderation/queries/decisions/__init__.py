"""Decisions for the desk (`decision_pages`), for platforms (`platform_decisions`) and as `feeds`."""
