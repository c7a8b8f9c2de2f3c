"""Rules: lists, dry runs, activation and lifting (`rules`)."""
