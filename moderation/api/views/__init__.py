"""One file per noun. A view translates and calls once; the clock is read here."""
