"""What comes in and is decided over time: charts, the page Today."""
