"""Authors, domains and addresses: lists and pages."""
