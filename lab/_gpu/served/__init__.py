"""What Triton's Python part runs a TensorRT plan by; both files are copied beside the plan."""
