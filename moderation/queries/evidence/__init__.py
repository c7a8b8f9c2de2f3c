"""What links of posts lead to, as pages and the API show it (`findings`)."""
