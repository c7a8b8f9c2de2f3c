"""How the product is: backlogs, lateness, sweeps, clocks."""
