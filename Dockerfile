# statetool without a Python installation: see docs/guides/ci.md.
#   docker build --tag statetool .
#   docker run --rm --user "$(id -u):$(id -g)" --volume "$PWD:/work" statetool check

FROM python:3.13-slim AS build
WORKDIR /src
COPY requirements.txt ./
RUN python -m venv /opt/statetool
RUN /opt/statetool/bin/python -m pip install --no-cache-dir --disable-pip-version-check --require-hashes --requirement requirements.txt
COPY pyproject.toml README.md LICENSE ./
COPY schemas schemas
COPY statefmt statefmt
RUN /opt/statetool/bin/python -m pip install --no-cache-dir --disable-pip-version-check --no-deps .

FROM python:3.13-slim
COPY --from=build /opt/statetool /opt/statetool
ENV PATH=/opt/statetool/bin:$PATH
# Not root; `--user` gives the files that are written to the caller.
USER 65534:65534
WORKDIR /work
ENTRYPOINT ["statetool"]
