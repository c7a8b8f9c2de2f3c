"""What links of posts lead to, fetched beside scoring: asked for with the score (`request`), written down
(`opening`), leased (`leases`), fetched (`fetch`, one answer in `answers`, `robots`), read and kept
(`collect`), and found again after a lost message (`recovery`).
"""
