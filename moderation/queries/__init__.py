"""Every non-trivial read. Modules are nouns; nothing here writes."""
