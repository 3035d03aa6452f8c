# statetool without a Python installation: see docs/guides/ci.md.
#   docker build --tag statetool .
#   docker run --rm --user "$(id -u):$(id -g)" --volume "$PWD:/work" statetool check

# Whoever can push the tag decides what is in it. To build from an image that was checked, name it by its digest:
#   docker build --build-arg BASE=python@sha256:… --tag statetool .
ARG BASE=python:3.13-slim

FROM $BASE AS build
WORKDIR /src
COPY requirements requirements
RUN python -m venv /opt/build
RUN /opt/build/bin/python -m pip install --no-cache-dir --no-deps --require-hashes --only-binary :all: --requirement requirements/build.txt
RUN python -m venv /opt/statetool
RUN /opt/statetool/bin/python -m pip install --no-cache-dir --no-deps --require-hashes --only-binary :all: --requirement requirements/standard.txt
COPY pyproject.toml README.md LICENSE ./
COPY schemas schemas
COPY statefmt statefmt
RUN /opt/build/bin/python -m pip wheel --no-deps --no-build-isolation --wheel-dir /src/wheel .
RUN /opt/statetool/bin/python -m pip install --no-deps --no-index /src/wheel/*.whl

FROM $BASE
COPY --from=build /opt/statetool /opt/statetool
ENV PATH=/opt/statetool/bin:$PATH
# Not root; `--user` gives the files that are written to the caller.
USER 65534:65534
WORKDIR /work
ENTRYPOINT ["statetool"]
