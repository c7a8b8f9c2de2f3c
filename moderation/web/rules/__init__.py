"""Rules (`rules`), and lists of pictures that become some (`picture_lists`)."""
