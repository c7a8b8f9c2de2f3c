"""Live figures of quality: shares of all posts with intervals (`repeated_looks`, `estimates`) from posts with
a label and the chance that it came about (`labelled_posts`), by slice and by day (`figures`), and withheld
where labels leave posts out (`coverage`); tables beside them (`tables`), and all of it as last stored
(`stored`).
"""
