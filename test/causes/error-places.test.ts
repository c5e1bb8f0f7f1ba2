import { expect, test } from 'vitest';
import { describeUnknown, explainLog } from '../../src/causes/index.ts';

function said(log: string): string {
  const { cause, title, fix } = explainLog(log) ?? describeUnknownOf(log);
  return `${cause}: ${title}; ${fix}`;
}

const describeUnknownOf = (log: string) => ({ ...describeUnknown(log), fix: 'none' });

test.each([
  [
    'of Node, but the app',
    'Error: no flux\n    at run (vm.js:53:16)\n    at go (/app/flux.js:3:1)\n    at node.js:933:3\n',
    /look for its reason at flux\.js:3/,
  ],
  [
    'of a runtime, but the message: Elixir',
    '** (File.Error) no flux\n    (elixir 1.10.1) lib/file.ex:353: File.read!/1\n    (mix 1.10.1) lib/mix/cli.ex:81: Mix.CLI.run/2\n',
    /the app raised File\.Error: no flux; do what/,
  ],
  [
    'of .NET, but its package',
    'Unhandled Exception: System.FluxException: off\n   at Microsoft.Flux.Source.Run(Boolean on)\n   at Shop.Start.Main(String[] args)\n',
    /Microsoft\.Flux raised System\.FluxException: off; .*Shop\.Start\.Main\(\)/,
  ],
  [
    'of a package on Windows, but the app',
    'Traceback (most recent call last):\n  File "C:\\shop\\main.py", line 3, in go\n    flux.run()\n  File "C:\\v\\Lib\\site-packages\\flux\\a.py", line 9, in run\n    raise KeyError(1)\nKeyError: 1\nProcess finished with exit code 1\n',
    /flux raised KeyError: 1; look for its reason at C:\/shop\/main\.py:3/,
  ],
  ['of the boot of Erlang', 'Runtime terminating during boot ({no_flux})\n', /raised \(\{no_flux\}\)/],
])('no place is named %s', (_, log, answer) => {
  expect(said(log)).toMatch(answer);
});

test.each([
  [
    'Error: spawn fluxpack ENOENT\n    at Process.onexit (node:internal/child_process:285:19)\n',
    /^command-not-found: .*package\.json/,
  ],
  ['npm ERR! code 127\nnpm ERR! command sh -c fluxpack\n', /^command-not-found: .*package\.json/],
  ['/start.sh: line 3: fluxpack: command not found\n', /^command-not-found: .*dependencies\.apt/],
  ['caused "exec: \\"fluxpack\\": executable file not found in $PATH"\n', /^command-not-found: fluxpack is not /],
  ['sh: vite: not found\n', /^command-not-found: vite is not installed in the image; .*package\.json/],
])('a program is installed in the list of its language: %s', (log, answer) => {
  expect(said(log)).toMatch(answer);
});

test('a folder that is made in a missing one is no file of the app', () => {
  const log =
    'Traceback (most recent call last):\n  File "/srv/watch.py", line 7, in go\n    path.mkdir()\n  File "/usr/lib/python3.10/pathlib.py", line 1175, in mkdir\n    self._accessor.mkdir(self, mode)\nFileNotFoundError: [Errno 2] No such file or directory: \'/srv/out/logs\'\n';
  expect(said(log)).toMatch(/^file-not-found: the folder \/srv\/out does not exist/);
});

test.each([
  [
    '#9 1.2 error Command failed with signal "SIGKILL".\n#9 1.2 info Visit https://flux.example\n',
    /^build-out-of-memory: /,
  ],
  [
    '#9 1.2 /w/flux.js:133\n#9 1.2     if(off) throw e;\n#9 1.2             ^\n#9 1.2\n',
    /^command-failed: .*exit code 1: make; run it/,
  ],
  [
    "#9 1.2 /usr/bin/ld: a.o: undefined reference to `flux()'\n#9 1.2 collect2: error: ld returned 1 exit status\n",
    /^command-failed: .*undefined reference to `flux/,
  ],
  ['#9 1.2     at load (file:///w/flux.js:1:2)\n', /^command-failed: .*exit code 1: make; run it/],
])('a command has not failed by a frame or an advice: %s', (log, answer) => {
  const failed = '#9 ERROR: process "/bin/sh -c make" did not complete successfully: exit code: 1\n';
  expect(said(`#9 [2/2] RUN make\n${log}${failed}`)).toMatch(answer);
});

test('what Compose says around a failed command is no reason', () => {
  const failed =
    "ERROR: Service 'web' failed to build: The command '/bin/sh -c make flux' returned a non-zero code: 1\n";
  expect(said(`Step 1/2 : RUN make flux\n${failed}`)).toMatch(/^command-failed: .*exit code 1: make flux; run it/);
});
