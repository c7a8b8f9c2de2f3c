"""An author whose posts are erased, and what is left of a word of theirs."""

from django.db import connection

from moderation.operations.posts.incoming_post import IncomingAuthor

MALLORY = IncomingAuthor(
    external_id="mallory", display_name="Mallory Malicious", email_domain="mallory.example"
)


def rows_with(*words: str) -> list[str]:
    """Return the tables in which a word stands, the audit log included."""
    found = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            for word in words:
                cursor.execute(
                    f'SELECT 1 FROM "{table}" WHERE "{table}"::text ILIKE %s LIMIT 1', [f"%{word}%"]
                )
                found += [f"{table}: {word}" for _ in cursor.fetchall()]
    return found
