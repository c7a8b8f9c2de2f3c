"""What every subject stands on: calls to the outside, secrets, limits, probes, sweeps, idempotency."""
