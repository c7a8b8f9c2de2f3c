"""What resembles what: near-duplicate texts (`text_groups`), accounts of one making (`author_bands`),
computed late (`backfill`).
"""
