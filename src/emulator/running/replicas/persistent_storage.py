"""Gives an app its volumes at /persistent-storage and /global-persistent-storage.

As a program, `persistent_storage.py {"root": …, "folders": {mount point: folder}} command…` runs a command in a mount
namespace of its own, where the folders are mounted. It needs no rights: where only root may create a namespace, it
creates one in which this user is root. Nothing of it is visible outside, and nothing is left when the command ends.

As a module, `rewrite` makes Python functions that take paths use the folders instead, where namespaces are not allowed.
"""

import json
import os
import sys

CLONE_NEWNS, CLONE_NEWUSER = 0x00020000, 0x10000000
MS_BIND, MS_REC, MS_SLAVE = 0x1000, 0x4000, 0x80000
NOT_FOUND, NO_NAMESPACE = 203, 125


def mount(root, folders):
    """Replaces the file system of this process by one that also has the folders. `root` is an empty folder."""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)

    def attach(source, target, kind=None, flags=0, options=None):
        texts = [os.fsencode(text) if text is not None else None for text in (source, target, kind)]
        check(libc.mount(*texts, ctypes.c_ulong(flags), options))

    def check(result):
        if result != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

    enter_namespace(lambda flags: check(libc.unshare(flags)))
    attach("none", "/", flags=MS_REC | MS_SLAVE)
    attach("tmpfs", root, "tmpfs", options=b"mode=0755,size=1m")
    # The folder that contains the new root is bound first: later it would contain everything twice.
    for entry in sorted(os.scandir("/"), key=lambda entry: not root.startswith(entry.path + "/")):
        if entry.path not in folders:
            try:
                copy_entry(entry, root + entry.path, attach)
            except OSError:
                pass
    for point, folder in folders.items():
        os.mkdir(root + point)
        attach(folder, root + point, flags=MS_BIND)
    here = os.getcwd()
    os.chroot(root)
    os.chdir(here)


def enter_namespace(unshare):
    user, group = os.geteuid(), os.getegid()
    try:
        unshare(CLONE_NEWNS)
    except OSError:
        unshare(CLONE_NEWNS | CLONE_NEWUSER)
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)


def copy_entry(entry, target, attach):
    if entry.is_symlink():
        os.symlink(os.readlink(entry.path), target)
    elif entry.is_dir():
        os.mkdir(target)
        attach(entry.path, target, flags=MS_BIND | MS_REC)
    elif entry.is_file():
        open(target, "x").close()
        attach(entry.path, target, flags=MS_BIND)


def rewrite(folders):
    """Patches `open` and the functions of `os`, which pathlib, shutil and glob use, too."""
    import builtins
    import io

    def replaced(path):
        if not isinstance(path, (str, bytes, os.PathLike)):
            return path
        text = os.fspath(path)
        plain = os.path.normpath(os.fsdecode(text)).replace(os.sep, "/")
        for point, folder in folders.items():
            if plain == point or plain.startswith(point + "/"):
                found = folder + plain[len(point) :]
                return os.fsencode(found) if isinstance(text, bytes) else found
        return path

    def patch(owner, name, count=1):
        original = getattr(owner, name, None)
        if original is None:
            return

        def call(*args, **named):
            first = [replaced(path) for path in args[:count]]
            named.update({key: replaced(named[key]) for key in PATH_NAMES & named.keys()})
            return original(*first, *args[count:], **named)

        patched = Patched(original, call)
        setattr(owner, name, patched)
        for collection in (os.supports_fd, os.supports_dir_fd, os.supports_follow_symlinks, os.supports_effective_ids):
            if original in collection:
                collection.add(patched)

    for name in ONE_PATH.split():
        patch(os, name)
    for name in TWO_PATHS.split():
        patch(os, name, 2)
    patch(io, "open")
    builtins.open = io.open


class Patched:
    """Not a function: as an attribute of a class, it would become a method."""

    def __init__(self, original, call):
        self.__wrapped__, self._call = original, call
        self.__name__, self.__doc__ = original.__name__, original.__doc__

    def __call__(self, *args, **named):
        return self._call(*args, **named)


PATH_NAMES = {"path", "file", "src", "dst", "top", "name"}
ONE_PATH = """access chdir chmod chown getxattr lchown listdir listxattr lstat mkdir mkfifo open pathconf readlink remove
removexattr rmdir scandir setxattr stat statvfs truncate unlink utime"""
TWO_PATHS = "link rename replace symlink"


def main():
    options = json.loads(sys.argv[1])
    try:
        mount(options["root"], options["folders"])
    except (OSError, ImportError) as error:
        print(f"persistent storage: {error}", file=sys.stderr)
        sys.exit(NO_NAMESPACE)
    import signal

    # Python ignores them, and a program would inherit that.
    for name in ("SIGPIPE", "SIGXFSZ"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    try:
        os.execvp(sys.argv[2], sys.argv[2:])
    except OSError as error:
        if isinstance(error, FileNotFoundError) and not os.path.exists(sys.argv[2]):
            sys.exit(NOT_FOUND)
        print(f"exec {sys.argv[2]}: {error.strerror.lower()}", file=sys.stderr)
        sys.exit(126)


if __name__ == "__main__":
    main()
