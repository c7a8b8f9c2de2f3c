"""The queue and the review page: the case in front (`current_case`), what a moderator does
(`review_actions`), why (`model_view`, `evidence`).
"""
