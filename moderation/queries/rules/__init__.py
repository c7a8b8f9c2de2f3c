"""Rules and what they match: for pages (`rule_pages`), before one is made (`targets`), for scoring
(`blocklist`).
"""
