"""What platforms send: posts (`ingest` → `incoming_post`, `rows`, `links`), complaints (`complain`) and
counts.
"""
