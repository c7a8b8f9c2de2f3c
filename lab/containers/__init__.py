"""The container files, and `make containers`, which builds, runs and kills them."""
