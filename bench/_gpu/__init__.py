"""Parts of `bench.gpu`: what times a form of a model in its own process, and what serves a plan on Triton."""
