#!/usr/bin/env bash
# Run by the dev container as root. Installs the package that the option names.
set -euo pipefail
package=${PACKAGE:?set the option package to the URL of gantry-VERSION.tgz of a release}

command -v npm > /dev/null || { echo 'error: gantry needs Node 20.19 or later' >&2 && exit 1; }
npm install --global --ignore-scripts "$package"
gantry --version
