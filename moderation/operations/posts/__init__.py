"""What platforms send: posts (`ingest` → `incoming_post`, `parents`, `sql`, `links`), complaints
(`complaints`) and counts.
"""
