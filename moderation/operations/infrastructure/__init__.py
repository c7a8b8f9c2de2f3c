"""What every subject uses: calls to the outside, secrets, limits, probes, sweeps, idempotency."""
