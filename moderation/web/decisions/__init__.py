"""The decisions page (`decisions`), its filters (`decision_filters`) and the file of it (`decision_csv`)."""
