"""What the outside world says of links: asked in a task of its own, never while a post is scored."""
