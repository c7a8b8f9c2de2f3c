"""The queue and the review page: `current_case`, `review_actions` and explanations (`model_view`)."""
