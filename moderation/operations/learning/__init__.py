"""Learning: training runs requested, cancelled, scheduled (`training_runs`) and carried out
(`training_job` → `training_process`, `training_results`); candidates in shadow started and stopped
(`shadow`), carried out (`shadow_scoring`), their disagreements drawn for people (`shadow_draws`); releases
with other thresholds (`thresholds`, `threshold_changes`), and proposals that a release goes live, which one
person makes and another confirms (`proposals`).
"""
