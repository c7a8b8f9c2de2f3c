"""Every write. Modules are verbs; public functions open their own transaction and take the clock as `at`."""
