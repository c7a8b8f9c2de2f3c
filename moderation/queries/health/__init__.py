"""Health of the product: backlogs, lateness, processes and sweeps, clocks."""
