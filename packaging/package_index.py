"""The package index that pip is set up to use, read with pip's own code."""
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
