"""The simulated web: what links, pictures and videos of simulated posts lead to.

In reading order: what pages say (`families`, `wording`), how they look (`layouts`), a site with its redirects
and tricks (`sites`, `pages`), pictures (`pictures`, drawn in `drawing`), captions (`speech`), how often posts
lead where (`shares`, `planning`, `leading`), all of it answered by address (`simulated_web`), kept in a file
(`register`) and served over HTTP (`server`).
"""
