"""Parts of `lab.serving`: texts, weights, the plain peer, both servers, and the client's own process."""
