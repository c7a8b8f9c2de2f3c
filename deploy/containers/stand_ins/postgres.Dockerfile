# Stands in for postgres:18 where no image registry can be reached: the same user, folder and variables.
ARG SYSTEM
FROM ${SYSTEM}
RUN groupadd --system --gid 999 postgres \
    && useradd --system --uid 999 --gid 999 --home-dir /var/lib/postgresql --shell /bin/sh postgres \
    && apt-get update && apt-get install -y --no-install-recommends postgresql && rm -rf /var/lib/apt/lists/* \
    && rm -rf /var/lib/postgresql/* && install -d -o postgres -g postgres /var/lib/postgresql/data /var/run/postgresql \
    && ln -s /usr/lib/postgresql/*/bin/* /usr/local/bin/
COPY postgres.sh /usr/local/bin/docker-entrypoint.sh
ENTRYPOINT ["docker-entrypoint.sh"]
STOPSIGNAL SIGINT
CMD ["postgres"]
