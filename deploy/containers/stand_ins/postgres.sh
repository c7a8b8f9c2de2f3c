#!/bin/sh
# What the entrypoint of postgres:18 does with the variables that the container files give it, and no more.
set -eu
case "${1:-}" in -*) set -- postgres "$@" ;; esac
[ "$1" = postgres ] || exec "$@"
if [ "$(id -u)" = 0 ]; then
    install -d -o postgres -g postgres -m 700 "$PGDATA"
    exec setpriv --reuid postgres --regid postgres --init-groups -- "$0" "$@"
fi
if [ ! -s "$PGDATA/PG_VERSION" ]; then
    echo "$POSTGRES_PASSWORD" > /tmp/password
    initdb --encoding UTF8 --locale C.UTF-8 --username "$POSTGRES_USER" --pwfile /tmp/password --auth-local trust --auth-host scram-sha-256 > /dev/null
    rm /tmp/password
    echo "host all all all scram-sha-256" >> "$PGDATA/pg_hba.conf"
    echo "CREATE DATABASE $POSTGRES_DB" | postgres --single -j postgres > /dev/null
fi
exec "$@" -c listen_addresses='*'
