"""Authors, domains and addresses with their posts and outcomes, for the desk and for platforms."""
