import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { sections } from '../../src/app/schema.ts';
import { fieldOf, type Key } from '../../src/app/schema-keys.ts';
import { settingDifferences, settingFidelity } from '../../src/emulator/model/apps/setting-fidelity.ts';
import { withDefaults } from '../../src/emulator/model/apps/settings.ts';
import { locatePython } from '../../src/kernel/interpreters.ts';
import { newFolder, platform } from './support/platform.ts';
import { python, running } from './support/running.ts';

const system = process.env.PATH;
const ask = 'import sys; print(sys.executable, "%d.%d.%d" % sys.version_info[:3])';
const [real = '', installed = ''] = python
  ? String(execFileSync('python3', ['-c', ask]))
      .trim()
      .split(' ')
  : [];
/** A version that the system does not have. */
const wanted =
  ['3.13', '3.10', '3.12'].find((one) => !installed.startsWith(`${one}.`) && !locatePython(one, { PATH: system })) ??
  '';

const main = 'import os\ndef run():\n    return os.environ.get("FAKE_PYTHON", "")\n';

/** A machine with `python3`, and what `set` adds: programs on the PATH, and files in the home folder. */
function machine() {
  const [path, home] = [newFolder(), newFolder()];
  symlinkSync(real, join(path, 'python3'));
  vi.stubEnv('PATH', `${path}:${system}`);
  vi.stubEnv('HOME', home);
  for (const name of ['VIRTUAL_ENV', 'XDG_DATA_HOME', 'UV_PYTHON_INSTALL_DIR', 'PYENV_ROOT'])
    vi.stubEnv(name, undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
  return { path, home };
}

/** Says that it is the wanted version, and tells apps so. */
const fakePython = `#!/bin/sh
[ "$1" = -c ] && { echo "${wanted}.9 $0"; exit; }
FAKE_PYTHON=${wanted} exec ${real} "$@"
`;

function program(folder: string, name: string, text: string): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), text, { mode: 0o755 });
  return join(folder, name);
}

const uv = (install: string) => `#!/bin/sh
case "$1 $2" in
"python install") ${install} ;;
"python find") exit 2 ;;
*) exit 0 ;;
esac
`;

async function deployed(options: object, code = main) {
  const settings = { pythonVersion: wanted };
  const { build, ask, logOf, call } = await running('functions', settings, { ...options, files: { 'main.py': code } });
  return {
    result: async () => (await call('run')).json.result,
    view: (await ask('GET', build)).json,
    log: await logOf(build),
  };
}

describe.skipIf(!python || process.platform === 'win32' || wanted === '')(
  "an app's python_version (needs python3)",
  () => {
    test.each<[string, (machine: { path: string; home: string }) => void, object]>([
      ['of the PATH', ({ path }) => program(path, `python${wanted}`, fakePython), {}],
      [
        'of a version manager, behind its shims',
        ({ path, home }) => {
          program(join(path, 'shims'), `python${wanted}`, '#!/bin/sh\nexit 127\n');
          vi.stubEnv('PATH', `${join(path, 'shims')}:${process.env.PATH}`);
          program(join(home, '.pyenv/versions', `${wanted}.2`, 'bin'), `python${wanted}`, fakePython);
        },
        {},
      ],
      [
        'that uv fetches',
        ({ path, home }) => {
          const folder = join(home, '.local/share/uv/python', `cpython-${wanted}.9-linux`, 'bin');
          const made = program(path, 'made', fakePython);
          program(path, 'uv', uv(`mkdir -p ${folder} && cp ${made} ${folder}/python${wanted}`));
        },
        { install: true },
      ],
    ])('is the interpreter %s', async (_, prepare, options) => {
      prepare(machine());
      const { result, view, log } = await deployed(options);
      expect(await result()).toBe(wanted);
      expect(log).toContain(`Python ${wanted}.9`);
      expect(view.differences).toBeUndefined();
    });

    test.each<[string, (machine: { path: string }) => void, object, string]>([
      ['that is not here', () => {}, {}, 'not found on this machine; with --install, uv fetches it'],
      ['without uv', () => {}, { install: true }, 'not found on this machine; uv would fetch it'],
      [
        'that uv cannot fetch',
        ({ path }) => program(path, 'uv', uv('echo "error: no such download" >&2; exit 1')),
        { install: true },
        'uv cannot fetch it: no such download',
      ],
      [
        'beside an active environment',
        ({ path }) => vi.stubEnv('VIRTUAL_ENV', path),
        {},
        'a virtual environment is active',
      ],
    ])('%s is said where python3 runs the app', async (_, prepare, options, why) => {
      prepare(machine());
      const { result, view, log } = await deployed(options);
      const said = `Python ${installed} instead of ${wanted}: ${why}`;
      expect(await result()).toBe('');
      expect(log).toContain(said);
      expect(view.differences).toEqual([said]);
    });

    test('that is not here is not searched for again by each call', async () => {
      const { path } = machine();
      const searches = join(path, 'searches');
      program(path, 'uv', `#!/bin/sh\necho "$*" >> ${searches}\nexit 2\n`);
      const { result } = await deployed({});
      const count = () => readFileSync(searches, 'utf8').split('\n').length;
      const before = count();
      for (let calls = 0; calls < 5; calls++) await result();
      // On a slow machine it is time for one.
      expect(count()).toBeLessThan(before + 5);
    });

    test('that is not here is the explanation of a syntax error', async () => {
      machine();
      const { view } = await deployed({}, 'def run[T:\n');
      expect(view.initError).toContain(`\nhint: the app ran with Python ${installed} instead of ${wanted}: not found`);
    });
  },
);

test('every key of cerebrium.toml is emulated, simulated or ignored, and reported under its name in the API', () => {
  const keys = Object.entries(sections).flatMap(([section, { keys, ...more }]) => [
    ...('entries' in more ? [{ key: section, field: undefined }] : []),
    ...Object.entries<Key>(keys).map(([name, key]) => ({
      key: `${section}.${name}`,
      field: fieldOf(name, key) ?? undefined,
    })),
  ]);
  expect(Object.keys(settingFidelity).sort()).toEqual(keys.map(({ key }) => key).sort());
  const wrong = keys.filter(({ key, field }) => (settingFidelity[key]?.field ?? field) !== field);
  expect(wrong).toEqual([]);
});

test('the build log says which settings of the app are not as on the platform', async () => {
  const { deploy, logOf } = await platform({ real: true });
  const settings = { compute: ['AMPERE_A10'], gpuCount: 2, scalingMetric: 'cpu_utilization', cooldownPeriodSeconds: 5 };
  const { build } = await deploy(settings, { 'main.py': 'def run(): pass\n' });
  expect((await logOf(build)).filter((line) => /simulated|ignored/.test(line))).toEqual([
    'compute AMPERE_A10 is simulated: costs count it; there is no GPU',
    'gpu_count 2 is simulated: costs count it; there is no GPU',
    'scaling_metric cpu_utilization is ignored: a replica is started when all are busy',
  ]);
});

test('a number of processors is no difference that a developer could see', () => {
  expect(settingDifferences({ ...withDefaults({ name: 'web', compute: ['CPU'] }), cpu: 1 })).toEqual([]);
});
