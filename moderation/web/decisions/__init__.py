"""The decisions page with its filters and its file."""
