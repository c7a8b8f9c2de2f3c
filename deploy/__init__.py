"""Starting Spamdesk: on one machine (local), and files for containers and units."""
