import { pinnedVersion } from '../../app/wheels.ts';
import { fits } from '../../kernel/groups.ts';
import { type FailureRule, rows, rowsWith } from '../rule.ts';

const unsatisfied =
  /^\s{0,4}(?:ERROR: )?Could not find a version that satisfies the requirement (?<package>[\w.-]{1,80})(?:\[[^\]]{0,80}\])? {0,2}(?<wanted>[<>=!~][^()]{1,60}?)?(?:;[^()]{0,120}?)? \((?:from (?!versions)[^()]{1,120}\) ?\()?from versions: (?!none|\))\S/;

/** pip and uv: indexes, versions and requirements. */
export const packageRules: readonly FailureRule[] = [
  ...rows`
5 package-renamed | The '{package}' PyPI package is deprecated, use '{other}' | {package} on PyPI is only a placeholder for {other} | list {other} instead of {package} | dependencies.pip.{package}
6 apt-repository-failed | Hash Sum mismatch | a mirror gave an index of apt that does not have the expected hash: it is being renewed, or a proxy keeps an old one | build again later, without the proxy or with another mirror
hash-mismatch | THESE PACKAGES DO NOT MATCH THE HASHES; Hash mismatch for \`{package}\` | a downloaded package does not have the expected hash | update the --hash of the requirement; if it was right, somebody has changed the package | dependencies.paths.pip
hash-missing | ^ERROR: Hashes are required in --require-hashes mode; In --require-hashes mode, all requirements must have their version; In \`--require-hashes\` mode, all requirements must | the requirements have hashes, but not all of them, with what they need | write the file again with all hashes: pip-compile --generate-hashes, or uv pip compile --generate-hashes | dependencies.paths.pip
`,
  ...rowsWith({ undoneBy: /^\s*Downloading \S|^Successfully installed / })`
5 package-index-unreachable | /^WARNING: Retrying \(.{0,300}Network is unreachable/ | the build has no way to the package index: no route leads there, or only a proxy does | behind a proxy, give it to the build (--build-arg HTTPS_PROXY=http://HOST:PORT); else let its network reach the index | dependencies.pip
package-index-unreachable | Retrying (Retry(…after connection broken by '{reason}; Failed to fetch: \`…\`; ^ERROR: {|Could not install packages due to an OSError: |Could not install packages due to an EnvironmentError: }HTTPSConnectionPool(…Max retries exceeded; {error|╰─▶|├─▶|×}{| }…Request failed after … retr | the package index cannot be reached | check the address of the index and its certificate, or deploy again if the index was down | dependencies.pip
`,
  ...rows`
5 package-index-denied | build: /^(?:(?:ERROR|WARNING): (?:HTTP error 401|401 Error, Credentials|401 Client Error.{0,60}(?:simple|pypi|\.whl))|\s{0,20}(?:error|cause|Caused by|hint|[╰├]─▶|×).{0,240}(?<!status: )401 Unauthorized|.{0,240}status client error \(401)/i; /^(?:ERROR: (?:HTTP error 403|403 Client Error: Forbidden for url: \S{0,200}simple)|.{0,240}status client error \(403)/i; ^User for …: | the package index refuses to give the package | add the login to the address of the index, from a secret that the build can read; of a public mirror that refuses, use another index, and lock again: a lock file keeps the addresses of the old one | dependencies.pip
python-version-unsupported | ackage {|'}{package}{|'} requires a different Python: {python} not in '{wanted…}'; ^ERROR: {package}-…-…{tag}-…-{manylinux|linux|any}… is not a supported wheel; /current Python version \((?<python>[\d.]{1,12})\) does not satisfy Python(?<wanted>[<>=!~\d.,*]{1,40})(?: and (?<package>[\w.-]{1,80}?)(?:==\S{1,40})? depends on Python)?/; /(?<![\w.,<>=!~-])(?<package>[\w.-]{1,80})(?:\{[^{}]{1,80}\})?(?:==(?<version>[\w.+!]{1,40})|[<>=!~][\w.,<>=!~*+]{1,80})? (?:has|have) no wheels (?:are available )?with a matching Python (?:ABI|version|implementation)/; AttributeError: module 'pkgutil' has no attribute 'ImpImporter'; ModuleNotFoundError: No module named 'distutils' | {package|a package} is not made for the Python version of the app | set python_version to one that it supports, or use another version of {package|the package} | deployment.python_version
`,
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
  ...rows`
wrong-architecture | ^ERROR: {package}-…-…-…-macosx… is not a supported wheel; /(?<![\w.,<>=!~-])(?<package>[\w.-]{1,80})(?:\{[^{}]{1,80}\})?(?:[<>=!~][\w.,<>=!~*+]{1,80})? (?:has|have) no wheels (?:are available )?with a matching platform/ | {package} is not made for linux/amd64 | remove it, or use a version with wheels for Linux | dependencies.pip.{package}
3 dependency-conflict | ^ERROR: Cannot install {packages…} because these package versions have conflicting dependencies; ^ERROR: Double requirement given: {packages…} | the packages need different versions of one package: {packages} | loosen the versions so that one version fits all | dependencies.pip
`,
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
  ...rows`
2 package-not-found | /^\s{0,4}(?:ERROR: )?Could not find a version that satisfies the requirement (?<package>[\w.-]{1,80}).{0,120}\(from versions: (?:none)?\)/; /^(?:ERROR: )?No matching distribution found for (?<package>[\w.-]{1,80})/; /(?<![\w.-])(?<package>[\w.-]{1,80}) was not found in the package registry/; /(?<![\w.-])(?<package>[\w.-]{1,80}) was not found in the provided package locations/; there are no versions of {package} and | the package index has no {package} for this system | correct the name of {package}, or add the index that has it; one without wheels for this Python or CPU is not found either | dependencies.pip.{package}
package-version-not-found | Unable to find installation candidates for {package} ({version}) | no wheel of {package} {version} fits the Python and the system of the image | use a version that has one: pip index versions {package} | dependencies.pip.{package}
requirements-file-missing | ^ERROR: Could not open requirements file: …'{path}'; ^error: File not found: {|\`}{path}; Distribution not found at: file://{path} | {path} is not in the app | add {path} to the app folder and to include | dependencies.paths.pip
requirement-invalid | ^{|ERROR: }…Invalid requirement: {line…}; ^error: Couldn't parse requirement in \`{path}\`; does not appear to be a Python project; packaging.version.InvalidVersion: {line…}; has invalid metadata: {line…}; ^ERROR: Directory … is not installable; Expected one of \`@\`, \`(\`, \`<\` | a requirement is not valid: {line} | write it as name==1.2, name>=1.0,<2 or name | dependencies.pip
environment-externally-managed | ^error: externally-managed-environment; The interpreter at … is externally managed; Cannot uninstall {|'}{package}{|'}. It is a distutils installed project; Cannot uninstall {package} …no RECORD file was found; Cannot uninstall {package} …RECORD file not found | the Python of the image belongs to its distribution, and pip may not change {package|it} | use a python base image, install into a virtual environment, or set PIP_BREAK_SYSTEM_PACKAGES=1 in the build | deployment.docker_base_image_url
5 package-index-unreachable | for -=: 'Retry' and 'int'; pip._vendor.…ReadTimeoutError; ReadTimeoutError: HTTPSConnectionPool; ProtocolError…Connection broken; urllib3.…Connection broken; network timeout at:; Try increasing UV_HTTP_TIMEOUT; error decoding response body | the download of a package from the index broke off, or took too long | deploy again; if it fails again, wait longer (pip --timeout 120 --retries 10, UV_HTTP_TIMEOUT=120), or use a smaller package, such as the CPU build of torch | dependencies.pip
`,
];
