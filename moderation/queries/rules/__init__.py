"""Rules and what they match: for pages (`rule_pages`), before one is made (`targets`) and for
scoring (`rules_in_force`).
"""
