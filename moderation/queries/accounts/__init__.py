"""Users and their sessions, platforms with keys and endpoints, reasons, saved filters."""
