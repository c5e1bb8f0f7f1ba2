import { chmodSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { newFolder } from '../support/files.ts';

export interface Machine {
  /** Where a reader begins: an empty folder. */
  cwd: string;
  /** For what the walk itself keeps. */
  notes: string;
  env: Record<string, string>;
}

const program = resolve('bin/gantry.cjs');

/** npm, which takes seconds each time: a package that the job before has installed is there. */
const installOnce = `#!/bin/sh
for file; do :; done
kept=$npm_config_prefix.tgz
cmp -s "$file" "$kept" && exit
rm -f "$kept"
PATH=\${PATH#*:*:} npm "$@" || exit
case $file in *.tgz) cp "$file" "$kept" ;; esac
`;

/**
 * A machine on which gantry was never used: an empty home with a clone of it, no setting, and the built program on the PATH.
 * pip installs nothing but the kit of the clone, which is there: the tests have no package index.
 */
export function newMachine(): Machine {
  const folder = newFolder({
    'python/pytest_gantry-1.dist-info/METADATA': 'Metadata-Version: 2.1\nName: pytest-gantry\nVersion: 1\n',
    'python/pytest_gantry-1.dist-info/entry_points.txt': '[pytest11]\ngantry = pytest_gantry.plugin\n',
    'bin/gantry': `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`,
    'bin/npm': installOnce,
    'bin/pip':
      '#!/bin/sh\ntest "$1" = install && test -f "$2/pyproject.toml" || { echo "no package index: $*" >&2; exit 1; }\n',
  });
  for (const name of ['gantry', 'npm', 'pip']) chmodSync(join(folder, 'bin', name), 0o755);
  for (const name of ['home', 'tmp', 'work', 'notes']) mkdirSync(join(folder, name));
  // What a reader's own npm install brings, gantry among it.
  mkdirSync(join(folder, 'node_modules'));
  for (const name of readdirSync('node_modules')) {
    symlinkSync(resolve('node_modules', name), join(folder, 'node_modules', name));
  }
  symlinkSync(resolve('.'), join(folder, 'node_modules/gantry'));
  symlinkSync(resolve('.'), join(folder, 'home/gantry'));
  const { PATH = '' } = process.env;
  return {
    cwd: join(folder, 'work'),
    notes: join(folder, 'notes'),
    env: {
      // Where npm installs programs.
      npm_config_prefix: join(folder, 'npm'),
      PATH: [join(folder, 'npm/bin'), join(folder, 'bin'), PATH, resolve('node_modules/.bin')].join(delimiter),
      HOME: join(folder, 'home'),
      TMPDIR: join(folder, 'tmp'),
      // What pip installed.
      PYTHONPATH: [join(folder, 'python'), resolve('packaging/pytest-gantry/src')].join(delimiter),
      PYTHONDONTWRITEBYTECODE: '1',
      LANG: 'C.UTF-8',
    },
  };
}
