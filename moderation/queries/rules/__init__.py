"""Rules and what they match: for pages (`rule_pages`), before one is made (`targets`), for
scoring (`rules_in_force`), in pages and pictures (`rule_hits`).
"""
