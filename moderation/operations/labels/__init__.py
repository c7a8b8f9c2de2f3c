"""Labels: drawn at random for people (`draws`), exported (`exports` → `export_build` → `export_write`,
`export_formats`, `export_files`).
"""
