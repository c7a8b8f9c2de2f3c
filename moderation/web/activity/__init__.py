"""What comes in and is decided over time: the page Today."""
