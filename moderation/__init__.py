"""The Django app: models, HTTP interfaces and Celery tasks."""
