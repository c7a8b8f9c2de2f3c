# A load balancer for the trial of several machines.
ARG SYSTEM
FROM ${SYSTEM}
RUN apt-get update && apt-get install -y --no-install-recommends haproxy && rm -rf /var/lib/apt/lists/*
USER haproxy
CMD ["haproxy", "-W", "-db", "-f", "/etc/trial/haproxy.cfg"]
