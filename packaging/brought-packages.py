#!/usr/bin/env python3
"""Widens src/causes/files/brought.ts by what pip installs with packages.

    python3 packaging/brought-packages.py fastapi 'fastapi[standard]' 'huggingface-hub<2'

It asks the package index that pip is set up to use, and installs nothing. A row keeps what it had: an older version may
bring what the newest does not, and a package that any version brings is never called missing. Of a row, only what no
other row of the table brings is written.
"""
import json
import re
import subprocess
import sys
import tempfile

TABLE = "src/causes/files/brought.ts"
# Libraries of CUDA, and types: nothing that apps import.
LEFT_OUT = re.compile(r"nvidia-|cuda-|types-|.*-stubs$")


def normalize(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def closure_of(package):
    with tempfile.NamedTemporaryFile() as report:
        command = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--quiet"]
        wanted = ["--only-binary=:all:", "--python-version", "3.12", "--target", "/none"]
        subprocess.run([*command, *wanted, "--report", report.name, package], check=True)
        return {normalize(each["metadata"]["name"]) for each in json.load(report)["install"]}


def read_table(text):
    rows = {}
    for row in re.search(r"`\n(.*?)\n`", text, re.S)[1].split("\n"):
        name, colon, rest = row.partition(":")
        for each in [name] if colon else row.split():
            rows[each] = set(rest.split())
    return rows


def reached(members, rows, without=None):
    found, next_ones = set(members), list(members)
    while next_ones:
        for each in rows.get(next_ones.pop(), ()):
            if each not in found and each != without:
                found.add(each)
                next_ones.append(each)
    return found


def widen(rows, closures):
    for wanted, closure in closures.items():
        package = re.match(r"[^<>=!~ ]+", wanted)[0]
        own = package.split("[")[0]
        rows.setdefault(package, set()).update(each for each in closure if each != own and not LEFT_OUT.match(each))


def reduce(rows):
    for name, members in rows.items():
        # What brings the package itself brings its row: nothing may be dropped for the sake of that.
        others = {each: row for each, row in rows.items() if each != name.split("[")[0] and each != name}
        for each in sorted(members):
            if each in reached(members - {each}, others):
                members.discard(each)


def render(rows):
    lines = [f"{name}: {' '.join(sorted(members))}" for name, members in sorted(rows.items()) if members]
    return "\n".join([*lines, " ".join(sorted(name for name, members in rows.items() if not members))])


def main(packages):
    text = open(TABLE, encoding="utf-8").read()
    rows = read_table(text)
    widen(rows, {package: closure_of(package) for package in packages})
    reduce(rows)
    with open(TABLE, "w", encoding="utf-8") as file:
        file.write(re.sub(r"`\n.*?\n`", lambda _: f"`\n{render(rows)}\n`", text, count=1, flags=re.S))


if __name__ == "__main__":
    main(sys.argv[1:])
