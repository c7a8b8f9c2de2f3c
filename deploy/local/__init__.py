"""Everything on one machine: installs what is missing, starts all servers and supervises them."""
