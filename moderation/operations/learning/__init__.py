"""Learning: training runs requested, cancelled, scheduled (`training_runs`) and carried out
(`training_job` → `training_process`); candidates in shadow started and stopped, their
disagreements drawn for people (`shadow`), carried out (`shadow_scoring`); releases with other thresholds
(`thresholds`, `threshold_changes`), and proposals that a release goes live, which one person makes and
another confirms (`proposals`).
"""
