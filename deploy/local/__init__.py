"""Everything on one machine: installs what is missing, starts every server, keeps it alive."""
