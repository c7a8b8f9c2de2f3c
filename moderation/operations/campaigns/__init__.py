"""Campaigns: posts are gathered (`gather` → `membership`, `assignment`, `members`), decided at once
(`campaign_decisions`, `decide_large`, `apply`), taken back (`campaign_reversals`).
"""
