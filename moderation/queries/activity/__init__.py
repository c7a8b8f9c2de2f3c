"""Activity over time: posts received, cases decided.

hours: time and periods; events: counts from rows; today: a period in numbers; outlook: what waits, and who
is at work.
"""
