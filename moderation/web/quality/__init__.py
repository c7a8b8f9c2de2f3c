"""How good the filter is: the page Quality, its charts and tables."""
