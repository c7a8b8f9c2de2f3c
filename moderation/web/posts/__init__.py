"""Search, its forms, and filters kept under a name."""
