#!/usr/bin/env python3
"""Makes src/causes/files/released-versions.ts: the versions that packages were released in.

    python3 packaging/released-versions.py [PACKAGE...]

It reads the package index that pip is set up to use: the files of the packages that the table has, and of those that are
named. A yanked version is one of them, since pip installs it where it is pinned. Pre-releases are left out, and all but
the newest series of a package.
"""
import datetime
import re
import sys

from package_index import links_of, words_of
from pip._vendor.packaging.utils import parse_wheel_filename
from pip._vendor.packaging.version import Version

TABLE = "src/causes/files/released-versions.ts"
SERIES = 200


def version_of(package, filename):
    if filename.endswith(".whl"):
        return parse_wheel_filename(filename)[1]
    name = re.sub("-", "[-_.]+", package)
    match = re.fullmatch(rf"{name}-(.+?)\.(?:tar\.gz|tar\.bz2|zip)", filename, re.IGNORECASE)
    return Version(match[1]) if match else None


def versions_of(filenames, package):
    for filename in filenames:
        try:
            version = version_of(package, filename)
        except ValueError:
            continue
        if version and not version.is_prerelease and version.epoch == 0:
            yield version


def render(package, versions):
    return f"{package} {' '.join(words_of(versions)[-SERIES:])}"


def main(named):
    text = open(TABLE, encoding="utf-8").read()
    known = [row.split()[0] for row in re.search(r"`\n(.*?)\n`", text, re.S)[1].split("\n")]
    packages = sorted({*known, *named})
    rows = "\n".join(render(each, versions_of((link.filename for link in links_of(each)), each)) for each in packages)
    text = re.sub(r"`\n.*?\n`", lambda _: f"`\n{rows}\n`", text, flags=re.S)
    with open(TABLE, "w", encoding="utf-8") as file:
        file.write(re.sub(r"'\d{4}-\d\d-\d\d'", f"'{datetime.date.today().isoformat()}'", text))


if __name__ == "__main__":
    main(sys.argv[1:])
