"""The Django app: rows, doors and jobs."""
