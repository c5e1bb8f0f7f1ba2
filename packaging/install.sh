#!/usr/bin/env bash
# install.sh VERSION FOLDER: downloads the executable of a release, verifies its checksum, and puts it into the folder.
# The releases are those of $REPOSITORY, as in owner/gantry, or at $GANTRY_DOWNLOAD_URL.
set -euo pipefail
version=${1:?usage: install.sh VERSION FOLDER}
folder=${2:?usage: install.sh VERSION FOLDER}

case "$(uname -s)" in
  Linux) system=linux ;;
  Darwin) system=darwin ;;
  MINGW* | MSYS*) system=win32 ;;
  *) echo "error: there is no executable for $(uname -s); gantry-$version.tgz of the release works with Node" >&2 && exit 1 ;;
esac
case "$(uname -m)" in
  x86_64 | amd64) processor=x64 ;;
  aarch64 | arm64) processor=arm64 ;;
  *) echo "error: there is no executable for $(uname -m); gantry-$version.tgz of the release works with Node" >&2 && exit 1 ;;
esac
archive="gantry-$version-$system-$processor.tar.gz"
[ "$system" = win32 ] && archive="${archive%.tar.gz}.zip"

from=${GANTRY_DOWNLOAD_URL:-${GITHUB_SERVER_URL:-https://github.com}/${REPOSITORY:?names no repository}/releases/download/v$version}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
curl --fail --silent --show-error --location --retry 3 --remote-name "$from/SHA256SUMS" --remote-name "$from/$archive"
grep " $archive\$" SHA256SUMS > expected || { echo "error: $archive is not part of release $version" >&2 && exit 1; }
if command -v sha256sum > /dev/null; then sha256sum --check --quiet expected; else shasum -a 256 --check --quiet expected; fi

mkdir -p "$folder"
if [ "$system" = win32 ]; then unzip -oq "$archive" -d "$folder"; else tar -xzf "$archive" -C "$folder"; fi
"$folder/gantry" --version
