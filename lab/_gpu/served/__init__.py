"""The model by which Triton's Python runs a plan; both files are copied beside the plan."""
