#!/usr/bin/env bash
# Run by the dev container as root. Installs from PyPI where there is Python, which the emulator uses as well.
set -euo pipefail
version=${VERSION:-latest}

if command -v python3 > /dev/null && python3 -m venv /usr/local/share/gantry 2> /dev/null; then
  wanted=gantry-cli
  [ "$version" = latest ] || wanted="gantry-cli==$version"
  /usr/local/share/gantry/bin/pip install --no-cache-dir --disable-pip-version-check "$wanted"
  ln -sf /usr/local/share/gantry/bin/gantry /usr/local/bin/gantry
elif command -v npm > /dev/null; then
  npm install --global "gantry@$version"
else
  echo 'error: gantry needs Python with venv, or Node 20.19 or later' >&2
  exit 1
fi
gantry --version
