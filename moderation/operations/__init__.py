"""Every write. Modules are verbs; each public function opens its own transaction and takes the clock as `at`."""
