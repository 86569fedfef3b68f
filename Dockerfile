# The dashboard of a store of runs, read only. How it was tried: docs/versions.md.
#
#   docker build -t kernelmap .
#   docker run --rm -p 8765:8765 -e KERNELMAP_DASHBOARD_TOKEN \
#     -v /srv/kernelmap:/store:ro kernelmap
#
# The server asks for the token of the variable; there is no encryption, so a proxy with TLS belongs
# before it where others reach the port.
FROM python:3.11-slim AS build
WORKDIR /source
COPY pyproject.toml setup.py README.md ./
COPY kernelmap ./kernelmap
# without a compiler the scanner in C is left out, and the dashboard reads no trace
RUN python -m venv /venv && /venv/bin/pip install --no-cache-dir '.[dashboard]'

FROM python:3.11-slim
COPY --from=build /venv /venv
RUN useradd --create-home --uid 10001 kernelmap
USER 10001
WORKDIR /home/kernelmap
EXPOSE 8765
ENTRYPOINT ["/venv/bin/kernelmap"]
CMD ["dashboard", "--store", "/store", "--host", "0.0.0.0", "--port", "8765"]
