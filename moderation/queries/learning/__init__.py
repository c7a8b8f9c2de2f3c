"""Learning: releases and training runs (`models`); what other thresholds would have done (`traffic`,
`dry_run`, `simulation`), what the live models got wrong (`model_errors`), posts by the value of a feature
(`feature_search`); proposals (`proposal_pages`); candidates in shadow: the comparison with the live release
(`shadow_figures`), the labels that it reads and that the gate asks about (`shadow_labels`), and what pages
show (`shadow_pages`).
"""
