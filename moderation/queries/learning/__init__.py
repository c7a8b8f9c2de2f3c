"""Learning: releases and training runs (`models`); what other thresholds would have done (`traffic`,
`dry_run`, `simulation`), the time that a case takes (`case_time`); proposals (`proposal_pages`).
"""
