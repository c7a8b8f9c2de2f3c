"""Parts of `lab.gpu`: what times a form of a model in its own process, and what serves a plan on Triton."""
