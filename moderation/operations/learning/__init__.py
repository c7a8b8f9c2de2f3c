"""Learning: training runs requested, cancelled, scheduled (`training_runs`) and carried out
(`training_job` → `training_process`, `training_results`), their candidates proposed
(`candidates`); releases with other thresholds (`thresholds`, `threshold_changes`), and
proposals that a release goes live, which one person makes and another confirms (`proposals`).
"""
