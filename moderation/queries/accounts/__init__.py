"""Users, platforms with keys and endpoints, reasons, saved filters."""
