#!/usr/bin/env python3
"""Makes src/app/wheel-tables.ts: which versions of large packages have wheels, for which Python, built with which CUDA.

    python3 packaging/wheel-tables.py > src/app/wheel-tables.ts

It reads the package index that pip is set up to use, with pip's own code: the files of each package, and the metadata of
the wheels of torch and vllm, which name the CUDA they were built with. An index may offer no metadata of a wheel: then it
is read from the wheel, by a few ranges of it. A release runs this. Nothing is typed but what the metadata does not have:
torch before 1.13 names no CUDA, and its release notes say 10.2.

Left out, each with its reason on stderr: pre-releases, yanked versions, and versions whose wheels name no CUDA, or no
version of torch. What could not be read fails instead: the tables would lack it without a word.
"""
import collections
import datetime
import re
import sys
import textwrap

from package_index import links_of, session, words_of
from pip._internal.network.lazy_wheel import dist_from_wheel_url
from pip._vendor.packaging.specifiers import SpecifierSet
from pip._vendor.packaging.utils import parse_wheel_filename
from pip._vendor.packaging.version import Version

PACKAGES = """torch torchvision torchaudio vllm flash-attn xformers bitsandbytes onnxruntime onnxruntime-gpu tensorflow
  jaxlib jax numpy scipy pandas""".split()
# Those that the platform offers.
PYTHONS = ["3.10", "3.11", "3.12", "3.13"]
CUDA_BEFORE_METADATA = "10.2"
CUDA = r"(?:nvidia-)?cuda-(?:runtime-cu1\d|toolkit|runtime)(?:\[[^\]]*\])? ?\(?[=<>]=?(\d+\.\d+)"

# Versions by package and reason.
left_out = collections.defaultdict(lambda: collections.defaultdict(set))


def pythons_of(link):
    """The Pythons that can install a wheel on Linux with x86-64."""
    _, version, _, tags = parse_wheel_filename(link.filename)
    fits = set()
    for tag in tags:
        if tag.platform != "any" and not re.fullmatch(r"(?:many)?linux\w*_x86_64", tag.platform):
            continue
        for python in PYTHONS:
            minor = int(python.split(".")[1])
            own = re.fullmatch(r"cp3(\d+)", tag.interpreter)
            if tag.abi == f"cp3{minor}" or tag.interpreter in ("py3", f"py3{minor}"):
                fits.add(python)
            elif tag.abi == "abi3" and own and int(own[1]) <= minor:
                fits.add(python)
    wanted = SpecifierSet(link.requires_python or "")
    return {python for python in fits if wanted.contains(python + ".99")}


def read_package(package):
    """The Pythons of each version, and its wheels for them."""
    pythons, wheels, released = collections.defaultdict(set), {}, set()
    for link in links_of(package):
        if link.is_wheel:
            version = parse_wheel_filename(link.filename)[1]
            if found := pythons_of(link):
                pythons[version] |= found
                wheels.setdefault(version, []).append(link)
        elif match := re.match(r".*-([^-]+?)\.(?:tar\.gz|zip)$", link.filename):
            version = Version(match[1])
        else:
            continue
        if version.is_prerelease or link.yanked_reason:
            left_out[package]["pre-release" if version.is_prerelease else "yanked"].add(version)
        else:
            released.add(version)
    return {version: pythons[version] for version in sorted(released)}, wheels


def requirement_of(links, pattern):
    """The version that the wheels of a release require: not every one of them may name it."""
    for link in links:
        if found := re.search(rf"^Requires-Dist: {pattern}", metadata_of(link), re.M):
            return found[1]
    return None


def metadata_of(link):
    reply = session.get(link.url_without_fragment + ".metadata")
    if reply.status_code == 404:
        return str(dist_from_wheel_url(parse_wheel_filename(link.filename)[0], link.url_without_fragment, session).metadata)
    reply.raise_for_status()
    return reply.text


def read_cuda(versions, wheels):
    cuda = {}
    for version in versions:
        if version in wheels:
            named = requirement_of(wheels[version], CUDA)
            if named or version < Version("1.13"):
                cuda[version] = named or CUDA_BEFORE_METADATA
            else:
                left_out["torch"]["names no CUDA"].add(version)
    return cuda


def read_torch_of(versions, wheels):
    found = {version: requirement_of(wheels[version], r"torch ?\(?==([\d.]+)") for version in versions if version in wheels}
    left_out["vllm"]["names no version of torch"] |= {version for version, torch in found.items() if not torch}
    return {version: torch for version, torch in found.items() if torch}


def grouped(entries):
    """`{key: ["1.0:0-1"]}`: the versions that have the same value."""
    groups = collections.defaultdict(list)
    for version, value in entries.items():
        groups[value].append(version)
    return {value: words_of(versions) for value, versions in groups.items()}


def render(name, groups):
    lines = []
    for key, words in groups.items():
        line = f"    '{key}': '{' '.join(words)}',"
        if len(line) > 120:
            text = textwrap.fill(" ".join(words), 108, break_long_words=False, break_on_hyphens=False)
            text = "\n".join(f"      {each}" for each in text.split("\n"))
            line = f"    '{key}': `\n{text}`,"
        lines.append(line)
    return f"  {name if name.isidentifier() else repr(name)}: {{\n" + "\n".join(lines) + "\n  },"


def main():
    tables, built = {}, {}
    read = {package: read_package(package) for package in PACKAGES}
    # jax is pure Python, but each version needs the jaxlib of its own version.
    for version, pythons in read["jax"][0].items():
        pythons &= read["jaxlib"][0].get(version, pythons)
    for package, (versions, wheels) in read.items():
        tables[package] = grouped({version: " ".join(sorted(found, key=Version)) for version, found in versions.items()})
        if package == "torch":
            built[package] = grouped(read_cuda(versions, wheels))
        if package == "vllm":
            built[package] = grouped(read_torch_of(versions, wheels))
    for groups in tables.values():
        # Those before the first one with wheels; all of a package that never has any.
        if len(groups) > 1:
            groups.pop("", None)
    for package, reasons in left_out.items():
        for reason, versions in reasons.items():
            print(f"left out of {package}, {reason}: {' '.join(map(str, sorted(versions)))}", file=sys.stderr)
    body = "\n".join(render(name, groups) for name, groups in tables.items())
    print(f"""// Made by packaging/wheel-tables.py, which names the source. Not to be edited.

/** When the package index was read. */
export const readOn = '{datetime.date.today().isoformat()}';

/**
 * The versions of each package, by the Pythons that they have wheels for on Linux with x86-64. `2.1:0-3,5` has `2.1.0` to
 * `2.1.3` and `2.1.5`; `2.1` has `2.1.0`. Older versions have none.
 */
export const wheelTables: Readonly<Record<string, Readonly<Record<string, string>>>> = {{
{body}
}};

/** The versions of torch, by the CUDA that its wheels were built with; those of vllm, by the torch that it needs. */
export const builtWith: Readonly<Record<'torch' | 'vllm', Readonly<Record<string, string>>>> = {{
{chr(10).join(render(name, groups) for name, groups in built.items())}
}};""")


main()
