"""Campaigns: posts are gathered (`gather` → `membership`, `assignment`, `members`), decided at once
(`decide`, `decide_large`, `apply`), taken back.
"""
