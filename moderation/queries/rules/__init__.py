"""Rules and what they reach: for pages (`rule_pages`), before one is made (`targets`), for scoring
(`blocklist`).
"""
