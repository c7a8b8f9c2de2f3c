"""JSON to the operations' dataclasses and rows to JSON, one file per noun. They validate; they never save."""
