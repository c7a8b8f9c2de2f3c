#!/bin/sh
# As the entrypoint of valkey/valkey:9: root gives the data to the server's user and becomes it.
set -eu
if [ "$1" = valkey-server ] && [ "$(id -u)" = 0 ]; then
    find . \! -user valkey -exec chown valkey '{}' +
    exec setpriv --reuid valkey --regid valkey --clear-groups -- "$0" "$@"
fi
exec "$@"
