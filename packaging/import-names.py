#!/usr/bin/env python3
"""Makes src/causes/known-modules.ts: which package of PyPI has a module.

    python3 packaging/import-names.py DATABASE RANKS

DATABASE is the one that the package pigar ships (pigar/.db.sqlite3, BSD-3-Clause): the top-level modules of the wheels on
PyPI. RANKS are the most downloaded packages, the first first: a line each, or the JSON of top-pypi-packages. Of several
packages with a module, the most downloaded one is meant. Nothing is typed: a name that is not in the data is not known.
"""
import collections
import itertools
import json
import re
import sqlite3
import sys

# A package that few people install is more likely somebody else's module than the one that is missing.
MAX_RANK = 6_000
# Many packages ship `tests` or `utils` by mistake, and share namespaces such as `google`.
MAX_OWNERS = 40
# Works without the libraries of a desktop, which images of servers do not have.
PREFERRED = {"cv2": "opencv-python-headless"}
# Not in the database: without wheels, or without a list of their modules.
ADDED = {"llama_cpp": "llama-cpp-python", "pkg_resources": "setuptools"}
MACOS_ONLY = "pyobjc-"


def normalize(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def read_ranks(path):
    text = open(path, encoding="utf-8").read()
    rows = [row["project"] for row in json.loads(text)["rows"]] if text.startswith("{") else text.split()
    return {normalize(name): at for at, name in enumerate(rows, 1)}


def read_owners(database, ranks):
    owners, counts = collections.defaultdict(list), collections.Counter()
    query = "select d.name, t.name from distributions d join top_level_module_names t on t.distribution_id = d.id"
    for package, module in sqlite3.connect(database).execute(query):
        counts[module] += 1
        if re.fullmatch(r"[A-Za-z]\w*", module) and ranks.get(normalize(package), MAX_RANK + 1) <= MAX_RANK:
            owners[module].append(normalize(package))
    return {module: sorted(packages, key=ranks.get) for module, packages in owners.items()}, counts


def main(database, ranks_file):
    ranks = read_ranks(ranks_file)
    owners, counts = read_owners(database, ranks)
    owners |= {module: [package] for module, package in ADDED.items() if ranks[package] and module not in owners}
    words, namespaces = [], []
    for module, packages in sorted(owners.items()):
        package = PREFERRED.get(module, packages[0])
        if package.startswith(MACOS_ONLY):
            continue
        if package not in packages:
            raise SystemExit(f"{package} does not have the module {module}")
        is_own = normalize(module) == package
        parts = [each for each in packages if each.startswith(f"{normalize(module)}-")]
        if len(parts) > 10:
            namespaces += sorted(parts)
        elif is_own or counts[module] <= MAX_OWNERS:
            words.append(module if is_own else f"{module}={package}")
    print(render(words, namespaces))


def render(words, namespaces):
    # A line for each letter: the program reads the table, people read what a change of it changes.
    lines = lambda names: "\n".join(" ".join(group) for _, group in itertools.groupby(names, key=lambda name: name[0].lower()))
    return f"""// Made by packaging/import-names.py, which names the sources. Not to be edited.

/** Modules and the package on PyPI that has them: `yaml=pyyaml`. Without a package, its name is the module's, with `-`. */
export const knownModules = `
{lines(words)}
`;

/** Packages that are parts of a namespace: `google-cloud-storage` has `google.cloud.storage`. */
export const namespacePackages = `
{lines(namespaces)}
`;"""


main(*sys.argv[1:])
