"""The package index that pip is set up to use, read with pip's own code."""
import collections

from pip._internal.commands import create_command
from pip._internal.index.collector import LinkCollector, parse_links
from pip._internal.models.link import Link

command = create_command("download")
session = command._build_session(command.parse_args(["x"])[0])
collector = LinkCollector.create(session, command.parse_args(["x"])[0])


def links_of(package):
    """The files of all versions of a package."""
    for url in collector.search_scope.get_index_urls_locations(package):
        yield from parse_links(collector.fetch_response(Link(url)))


def words_of(versions):
    """`2.1:0-2,4`: the versions of each series, in order."""
    series = collections.defaultdict(list)
    for version in sorted(set(versions)):
        series[(version.release + (0,))[:2]].append(version)
    return [
        f"{major}.{minor}" + (f":{rest}" if (rest := ranges(found)) != "0" else "")
        for (major, minor), found in series.items()
    ]


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
