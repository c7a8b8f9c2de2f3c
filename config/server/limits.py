"""Limits of requests per web process; the operator's guide lists them."""

CONNECTIONS = 4_096
"""Open connections of a process; more wait in the kernel."""
BACKLOG = 2_048
IDLE_SECONDS = 30
"""A connection on which nothing moves is closed after this time."""
HEADER_BYTES = 65_536
BODY_BYTES = 12 * 1024 * 1024
"""A bulk request holds 10 MB; Django refuses more than this, too (DATA_UPLOAD_MAX_MEMORY_SIZE)."""
HELD_BYTES = 256 * 1024 * 1024
"""Bodies in memory, of all connections together."""
PIECE_BYTES = 65_536
"""The bodies in memory are summed up once for each piece of a body that arrives."""
REQUEST_SECONDS, BYTES_PER_SECOND, REQUEST_SECONDS_AT_MOST = 15, 16_384, 120
"""Time for a request to arrive, plus a second for every BYTES_PER_SECOND of its body."""
THREADS = 4
"""Requests that Django answers at once; more threads of an interpreter lengthen each other's answers."""
WAITING = 512
"""Complete requests that wait for a thread; beyond that 503."""
WAITING_SECONDS = 20
"""What has waited for longer than this is answered 503."""
STOP_SECONDS = 10
"""Time to finish running requests when the server stops."""
STALLED_BEATS = 120
"""A process with running requests that finished none for this many seconds counts as dead."""
