"""Learning: the Models page, with roll-back and training runs, and the page of thresholds."""
