"""What platforms send: posts (`ingest` → `incoming_post`, `sql`, `links`), complaints about posts
(`complaints`) and about accounts (`account_complaints`), and counts.
"""
