"""What links lead to (`findings`) and what is said in videos (`transcripts`), for pages and the API."""
