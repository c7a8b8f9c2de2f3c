# Stands in for valkey/valkey:9 where no image registry can be reached: the same user, folder and script.
ARG SYSTEM
FROM ${SYSTEM}
RUN groupadd --system --gid 999 valkey \
    && useradd --system --uid 999 --gid 999 --home-dir /data --shell /usr/sbin/nologin valkey \
    && apt-get update && apt-get install -y --no-install-recommends valkey-server valkey-tools \
    && rm -rf /var/lib/apt/lists/* && install -d -o valkey -g valkey /data
COPY valkey.sh /usr/local/bin/docker-entrypoint.sh
WORKDIR /data
VOLUME /data
ENTRYPOINT ["docker-entrypoint.sh"]
CMD ["valkey-server"]
