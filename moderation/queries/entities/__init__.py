"""Authors, domains and addresses: what they posted and what became of it, for the desk and for platforms."""
