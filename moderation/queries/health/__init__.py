"""Health of the product: backlogs, lateness, sweeps, clocks."""
