#!/usr/bin/env python3
"""Makes src/causes/files/released-versions.ts: the versions that packages were released in.

    python3 packaging/released-versions.py [PACKAGE...]

It reads the package index that pip is set up to use: the files of the packages that the table has, and of those that are
named. A yanked version is one of them, since pip installs it where it is pinned. Pre-releases are left out, and all but
the newest series of a package.
"""
import collections
import datetime
import re
import sys

from package_index import links_of
from pip._vendor.packaging.utils import parse_wheel_filename
from pip._vendor.packaging.version import Version

TABLE = "src/causes/files/released-versions.ts"
SERIES = 60


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


def ranges(versions):
    """`0-4,7,0.84`: what follows the series."""
    rests = [(version.release[2:] or (0,), version.post) for version in versions]
    numbers = sorted(rest[0] for rest, post in rests if len(rest) == 1 and post is None)
    parts = []
    for number in numbers:
        if parts and parts[-1][1] == number - 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    others = [".".join(map(str, rest)) + (f".post{post}" if post is not None else "") for rest, post in rests]
    return ",".join([*(f"{first}-{last}" if last > first else str(first) for first, last in parts),
                     *(each for each in others if "." in each)])


def render(package, versions):
    series = collections.defaultdict(list)
    for version in sorted(set(versions)):
        series[(version.release + (0,))[:2]].append(version)
    kept = list(series.items())[-SERIES:]
    words = [f"{major}.{minor}" + (f":{rest}" if (rest := ranges(found)) != "0" else "") for (major, minor), found in kept]
    return f"{package} {' '.join(words)}"


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
