"""The final screen of `make run`: addresses, accounts and next steps."""

from deploy.local.places import State

_SCREEN = """
Spamdesk is running.                                                    Ctrl-C stops it

  Desk       http://localhost:{port}/
  API        http://localhost:{port}/api/v1/          documentation: /api/v1/docs
  Health     http://localhost:{port}/readyz
  State      {state}   (logs in {state}/logs)
{demo}"""

_DEMO = """
  Sign in as moderator, lead, ml or admin, password demo.
  The posts are simulated: a simulated platform sends them through the API.

  Try        open the desk and press the keys it names: claim, decide, undo
             .venv/bin/python manage.py simulate --help        more simulated posts
             .venv/bin/python manage.py export_labels --help   decisions as training data
"""

_SERVERS = """
PostgreSQL, the broker and Triton are running, and the database is migrated.   Ctrl-C stops them

  In other terminals, under a debugger if you like:
    python3 -m deploy.local python manage.py runserver
    python3 -m deploy.local python -m celery --app=config.celery:app worker --queues=scoring --pool=solo
    python3 -m deploy.local python -m celery --app=config.celery:app beat
"""


def servers_screen() -> str:
    """Return what to do when only the servers run."""
    return _SERVERS


def screen(*, port: int, state: State, mode: str) -> str:
    """Return the text, with the warning that the preparation left."""
    text = _SCREEN.format(port=port, state=state.path, demo=_DEMO if mode == "demo" else "")
    return f"{text}\n  WARNING    {state.warning.read_text().strip()}\n" if state.warning.exists() else text
