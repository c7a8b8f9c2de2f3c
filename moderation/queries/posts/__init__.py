"""Posts as their platform may see them, and searched for."""
