"""The decisions page with its filters (`decisions`) and the file of it (`decision_csv`)."""
