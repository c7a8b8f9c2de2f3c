"""One script per question; each prints a small table. Results are recorded in docs/benchmarks.md."""
