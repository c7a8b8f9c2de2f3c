"""What platforms send: posts (`ingest` → `incoming_post`, `sql`, `links`), complaints
(`complaints`) and counts.
"""
