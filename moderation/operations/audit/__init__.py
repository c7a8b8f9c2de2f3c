"""The audit log: writing entries, chaining them by hashes, verifying the chain."""
