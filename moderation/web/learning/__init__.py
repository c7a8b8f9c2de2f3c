"""Learning: the Models page with training runs and their candidates, errors of the live models, the page of
thresholds, and the answers to proposed releases with roll-back (`proposals`), which stand on both pages.
"""
