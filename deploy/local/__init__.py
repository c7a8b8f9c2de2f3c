"""Everything on one machine: installs what is missing, starts every server and the product, keeps them alive."""
