"""Every read that is more than a lookup. Nothing here writes."""
