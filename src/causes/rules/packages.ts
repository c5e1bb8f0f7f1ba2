import { pinnedVersion } from '../../app/wheels.ts';
import { fits } from '../groups.ts';
import { type FailureRule, messageRows, texts } from '../rule.ts';

const unsatisfied =
  /^\s{0,4}(?:ERROR: )?Could not find a version that satisfies the requirement (?<package>[\w.-]{1,80})(?:\[[^\]]{0,80}\])? {0,2}(?<wanted>[<>=!~][^()]{1,60}?)?(?:;[^()]{0,120}?)? \((?:from (?!versions)[^()]{1,120}\) ?\()?from versions: (?!none|\))\S/;

/** pip and uv: indexes, versions and requirements. */
export const packageRules: readonly FailureRule[] = [
  ...messageRows(`
5 package-renamed | The '{package}' PyPI package is deprecated, use '{other}' | {package} on PyPI is only a placeholder for {other} | list {other} instead of {package} | dependencies.pip.{package}
6 apt-repository-failed | Hash Sum mismatch | a mirror gave an index of apt that does not have the expected hash: it is being renewed, or a proxy keeps an old one | build again later, without the proxy or with another mirror
hash-mismatch | THESE PACKAGES DO NOT MATCH THE HASHES; Hash mismatch for \`{package}\` | a downloaded package does not have the expected hash | update the --hash of the requirement; if it was right, somebody has changed the package | dependencies.paths.pip
hash-missing | ^ERROR: Hashes are required in --require-hashes mode; In --require-hashes mode, all requirements must have their version; In \`--require-hashes\` mode, all requirements must | the requirements have hashes, but not all of them, with what they need | write the file again with all hashes: pip-compile --generate-hashes, or uv pip compile --generate-hashes | dependencies.paths.pip
`),
  {
    cause: 'package-index-unreachable',
    signs: [
      /^\s{0,4}(?:WARNING: )?Retrying \(Retry\(.*after connection broken by '(?<reason>[^':(]{1,80})/,
      /^\s{0,4}Could not fetch URL \S{1,300}: (?<reason>.{1,120})/,
      /Failed to fetch: `\S{1,300}`/,
      /^ERROR: (?:Could not install packages due to an (?:OSError|EnvironmentError): )?HTTPSConnectionPool\(.{0,200}Max retries exceeded/,
      /^\s*(?:error|╰─▶|├─▶|×) ?.{0,20}Request failed after \d+ retr/,
    ],
    // It went on after a retry.
    undoneBy: /^\s*Downloading \S|^Successfully installed /,
    title: 'the package index cannot be reached',
    fix: 'check the address of the index and its certificate, or deploy again if the index was down',
    at: 'dependencies.pip',
  },
  {
    cause: 'package-index-denied',
    rank: 5,
    signs: [
      /^(?:(?:ERROR|WARNING): (?:HTTP error 401|401 Error, Credentials|401 Client Error.{0,60}(?:simple|pypi|\.whl))|\s{0,20}(?:error|cause|Caused by|hint|[╰├]─▶|×).{0,240}(?<!status: )401 Unauthorized|.{0,240}status client error \(401)/i,
      /^(?:ERROR: (?:HTTP error 403|403 Client Error: Forbidden for url: \S{0,200}simple)|.{0,240}status client error \(403)/i,
      /^\s{0,20}(?:hint: |╰─▶ )?.{0,80}(?:index|indexes) .{0,80}(?:returned a 401|Unauthorized|Forbidden|could not be queried due to a lack of valid authentication)/i,
      /^User for [\w.:-]{1,120}: /,
    ],
    only: 'build',
    title: 'the package index refuses to give the package',
    fix: 'add the login to the address of the index, from a secret that the build can read; of a public mirror that refuses, use another index, and lock again: a lock file keeps the addresses of the old one',
    at: 'dependencies.pip',
  },
  {
    cause: 'python-version-unsupported',
    signs: [
      /ackage '?(?<package>[\w.-]{1,80})'? requires a different Python: (?<python>[\d.]{1,12}) not in '(?<wanted>[^']{1,60})'/,
      /^ERROR: (?<package>[\w.]{1,80})-[\w.+!]{1,40}-(?:\d{1,3}\w{0,20}-)?(?<tag>cp\d{2,3}|pp\d{2,3})-[\w.]{1,40}-(?:manylinux|linux|any)\S{0,80} is not a supported wheel/,
      /current Python version \((?<python>[\d.]{1,12})\) does not satisfy Python(?<wanted>[<>=!~\d.,*]{1,40})(?: and (?<package>[\w.-]{1,80}?)(?:==\S{1,40})? depends on Python)?/,
      /(?<![\w.,<>=!~-])(?<package>[\w.-]{1,80})(?:\{[^{}]{1,80}\})?(?:==(?<version>[\w.+!]{1,40})|[<>=!~][\w.,<>=!~*+]{1,80})? (?:has|have) no wheels (?:are available )?with a matching Python (?:ABI|version|implementation)/,
      /^\s*AttributeError: module 'pkgutil' has no attribute 'ImpImporter'/,
      /^\s*ModuleNotFoundError: No module named 'distutils'/,
    ],
    title: '{package|a package} is not made for the Python version of the app',
    fix: 'set python_version to one that it supports, or use another version of {package|the package}',
    at: 'deployment.python_version',
  },
  {
    cause: 'python-version-unsupported',
    signs: [unsatisfied],
    // pip lists all versions that it ignored, also if the wanted one does not exist.
    applies: ({ wanted = '' }, _, before) => {
      const ignored = before().find((line) => line.includes('versions that require a different python version'));
      const version = pinnedVersion(wanted);
      return ignored !== undefined && (version === undefined || ignored.includes(` ${version} Requires-Python`));
    },
    title: '{package} {wanted} needs another Python',
    fix: 'set python_version to one that it supports, or use another version of {package}',
    at: 'deployment.python_version',
  },
  {
    cause: 'wrong-architecture',
    signs: [
      /^ERROR: (?<package>[\w.]{1,80})-[\w.+!]{1,40}-\w{1,40}-\w{1,40}-(?:macosx|win|musllinux|manylinux\w{0,20}_(?:aarch64|arm))\S{0,80} is not a supported wheel/,
      /(?<![\w.,<>=!~-])(?<package>[\w.-]{1,80})(?:\{[^{}]{1,80}\})?(?:[<>=!~][\w.,<>=!~*+]{1,80})? (?:has|have) no wheels (?:are available )?with a matching platform/,
    ],
    title: '{package} is not made for linux/amd64',
    fix: 'remove it, or use a version with wheels for Linux',
    at: 'dependencies.pip.{package}',
  },
  {
    cause: 'dependency-conflict',
    rank: 3,
    signs: [
      /^ERROR: Cannot install (?<packages>.{1,200}) because these package versions have conflicting dependencies/,
      /^ERROR: Double requirement given: (?<packages>.{1,120})/,
    ],
    title: 'the packages need different versions of one package: {packages}',
    fix: 'loosen the versions so that one version fits all',
    at: 'dependencies.pip',
  },
  {
    cause: 'package-version-not-found',
    rank: 3,
    signs: [
      unsatisfied,
      /^(?:ERROR: )?No matching distribution found for (?<package>[\w.-]{1,80}?)(?:\[[^\]]{1,80}\])?(?<wanted>[<>=!~]=?[\w.*+!,<>=~]{1,60})/,
      /there is no version of (?<package>[\w.-]{1,80}?)(?:\[[^\]]{0,80}\])?(?<wanted>[<>=!~]\S{1,60})/,
      /only the following versions of (?<package>[\w.-]{1,80}) are available/,
      /Because only the following versions? of (?<package>[\w.-]{1,80}) (?:is|are) available/,
      /(?<![\w.-])(?<package>[\w.-]{1,80})(?<wanted>[<>=!~]\S{1,40}) (?:.{0,60}are|is) available and you require/,
    ],
    applies: (_, __, before) => !fits(/\(from versions: (?:none)?\)/, before().at(-1)),
    title: 'the package index has no {package} {wanted} for this system',
    fix: 'use a version that exists: pip index versions {package}',
    at: 'dependencies.pip.{package}',
  },
  {
    cause: 'package-not-found',
    rank: 2,
    signs: [
      /^\s{0,4}(?:ERROR: )?Could not find a version that satisfies the requirement (?<package>[\w.-]{1,80}).{0,120}\(from versions: (?:none)?\)/,
      /^(?:ERROR: )?No matching distribution found for (?<package>[\w.-]{1,80})/,
      /(?<![\w.-])(?<package>[\w.-]{1,80}) was not found in the package registry/,
      /(?<![\w.-])(?<package>[\w.-]{1,80}) was not found in the provided package locations/,
      /there are no versions of (?<package>[\w.-]{1,80}) and/,
    ],
    title: 'the package index has no {package} for this system',
    fix: 'correct the name of {package}, or add the index that has it; one without wheels for this Python or CPU is not found either',
    at: 'dependencies.pip.{package}',
  },
  {
    cause: 'requirements-file-missing',
    signs: [
      /^ERROR: Could not open requirements file: .{0,80}'(?<path>[^']{1,200})'/,
      /^error: File not found: `?(?<path>[^`]{1,200})/,
      /Distribution not found at: file:\/\/(?<path>\S{1,200})/,
    ],
    title: '{path} is not in the app',
    fix: 'add {path} to the app folder and to include',
    at: 'dependencies.paths.pip',
  },
  {
    cause: 'requirement-invalid',
    signs: [
      /^(?:ERROR: )?.{0,40}Invalid requirement: (?<line>.{1,160})/,
      /^error: Couldn't parse requirement in `(?<path>[^`]{1,120})`/,
      /^ERROR: .{1,200}(?:does not appear to be a Python project|neither 'setup.py' nor 'pyproject.toml' found)/,
      /does not appear to be a Python project/,
      /packaging\.version\.InvalidVersion: (?<line>.{1,100})/,
      /has invalid metadata: (?<line>.{1,120})/,
      /^ERROR: Directory .{1,200} is not installable/,
      /^ERROR: Could not install packages due to an OSError: \[Errno 2\] No such file or directory: '(?<line>[^']{1,200})'/,
      /^\s*Expected one of `@`, `\(`, `<`/,
    ],
    title: 'a requirement is not valid: {line}',
    fix: 'write it as name==1.2, name>=1.0,<2 or name',
    at: 'dependencies.pip',
  },
  {
    cause: 'environment-externally-managed',
    signs: [
      /^error: externally-managed-environment/,
      /The interpreter at .{1,200} is externally managed/,
      /Cannot uninstall '?(?<package>[\w.-]{1,80}?)'?\. It is a distutils installed project/,
      /Cannot uninstall (?<package>[\w.-]{1,80}) .{0,40}no RECORD file was found/,
      /Cannot uninstall (?<package>[\w.-]{1,80}) .{0,40}RECORD file not found/,
    ],
    title: 'the Python of the image belongs to its distribution, and pip may not change {package|it}',
    fix: 'use a python base image, install into a virtual environment, or set PIP_BREAK_SYSTEM_PACKAGES=1 in the build',
    at: 'deployment.docker_base_image_url',
  },
  {
    cause: 'package-index-unreachable',
    rank: 5,
    signs: [
      /^(?:ERROR: |\s{0,20})?(?:pip\._vendor\..{0,80}ReadTimeoutError|ReadTimeoutError: HTTPSConnectionPool)/,
      /^(?:ERROR: |\s{0,20})?(?:pip\._vendor\.\S{0,80}|ProtocolError|urllib3\.\S{0,60})\b.{0,40}Connection broken/,
      /network timeout at: \S{1,200}/,
      ...texts(`Try increasing UV_HTTP_TIMEOUT; error decoding response body`),
    ],
    title: 'the download of a package from the index broke off, or took too long',
    fix: 'deploy again; if it fails again, wait longer (pip --timeout 120 --retries 10, UV_HTTP_TIMEOUT=120), or use a smaller package, such as the CPU build of torch',
    at: 'dependencies.pip',
  },
];
