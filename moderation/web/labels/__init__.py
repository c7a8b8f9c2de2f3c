"""Random labels and exports."""
