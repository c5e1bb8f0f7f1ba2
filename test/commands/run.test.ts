import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { checkProgramArguments, parseProgramArguments } from '../../src/calls/run/program-arguments.ts';
import { globalFlags, referenceOf } from '../../src/cli/reference.ts';
import { readTar } from '../../src/emulator/running/archives.ts';
import { python } from '../emulator/support/running.ts';
import { altering } from '../support/altering.ts';
import { answering } from '../support/answering.ts';
import { emulatorForAll, testLateMs } from '../support/emulators.ts';
import { newFolder } from '../support/files.ts';
import { gantry, jsonLines, type Setting } from '../support/gantry.ts';
import { serving } from '../support/listening.ts';
import { deployWeb } from '../support/runs.ts';
import { expectErrorDocument, expectNoTrace } from '../support/traces.ts';

const toml = (more = '') => `[cerebrium.deployment]\nname = "jobs"\n${more}`;
const job =
  'import sys\n\ndef train(epochs=1, name="first"):\n    print(f"{name}: {epochs}")\n    return {"loss": 0.5}\n';

const [real, simulated] = [emulatorForAll(), emulatorForAll({ real: false })];
/** A program whose output nobody reads is not started. */
let emulator = simulated;

beforeEach(async () => {
  await Promise.all([real.reset(), simulated.reset()]);
  emulator = simulated;
});

/** Runs a command line in a folder with these files. Waiting is simulated; the program runs in real time. */
async function run(files: Record<string, string>, line: string[], setting: Setting = {}) {
  emulator = line.includes('--detach') ? simulated : real;
  const cwd = newFolder(files);
  return await gantry(['run', ...line], { emulator, cwd, meanwhile: () => setTimeout(5), ...setting });
}

interface Sent {
  projectId: string;
  data: { content: Uint8Array };
  file: { content: Uint8Array };
}

const called = (name: string) => emulator.calls.filter(({ endpoint }) => endpoint === name);

/** The request that started the run. */
function sent() {
  const { query, body } = called('startRun')[0] ?? { query: {} as Record<string, string>, body: undefined };
  const { data, file, projectId } = body as Sent;
  return { query, projectId, data: JSON.parse(Buffer.from(data.content).toString()), tar: file.content };
}

async function sentFiles(): Promise<Record<string, string>> {
  const files = await readTar(sent().tar);
  return Object.fromEntries(files.map(({ path, content }) => [path, String(content)]));
}

describe('a script', () => {
  const script = 'import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument("file", nargs="?")\n';
  const options = 'parser.add_argument("--epochs", type=int)\nparser.add_argument("-v", action="store_true")\n';
  const shown = 'def work():\n    print(parser.parse_args())\nwork()\n';
  const files = { 'jobs/train.py': `${script}${options}${shown}`, 'jobs/gantry_start.py': '' };

  test.skipIf(!python).each([
    [['--epochs', '3'], 'epochs=3, v=False'],
    [['--', '--epochs=3', '-v', 'in put.txt'], "file='in put.txt', epochs=3, v=True"],
    [[], 'epochs=None'],
  ])('reads %j as its command line', async (words, printed) => {
    const { code, stdout } = await run(files, ['jobs/train.py', ...words]);
    expect([code, stdout]).toEqual([0, expect.stringContaining(printed)]);
    expect(sent().data).toEqual({});
  });

  test.skipIf(!python)('has its own lines only in a traceback', async () => {
    const guarded = 'import sys\n\nif __name__ == "__main__":\n    raise ValueError(sys.argv[1])\n';
    const { code, stderr } = await run({ 'job.py': guarded }, ['job.py', 'boom']);
    expect(code).toBe(13);
    expect(stderr).toMatch(/Traceback[^\n]*\n {2}File "[^"]*job\.py", line 4/);
    expect(stderr).not.toContain('runpy');
  });

  test('is asked for whom a flag of gantry is meant', async () => {
    const { code, stderr } = await run(files, ['jobs/train.py', '--epochs', '3', '--name', 'x', '--detach']);
    expect([code, called('startRun')]).toEqual([2, []]);
    expect(stderr).toContain('fix for gantry: gantry run --name x --detach jobs/train.py -- --epochs 3;');
    expect(stderr).toContain('for the program: gantry run jobs/train.py -- --epochs 3 --name x\n');
  });
});

test.each([
  [['--gpu', 'H100'], { computeType: 'HOPPER_H100', gpuCount: '1' }],
  [['--gpu', 'a10:2'], { computeType: 'AMPERE_A10', gpuCount: '2' }],
  [['--compute', 'ADA_L4'], { computeType: 'ADA_L4', gpuCount: '1' }],
  [[], { computeType: 'CPU', gpuCount: '0', cpu: '2.0', memoryGb: '4.0' }],
])('%j is the hardware of one run', async (flags, query) => {
  const files = { 'cerebrium.toml': toml('[cerebrium.hardware]\ncompute = "CPU"\ngpu_count = 0\n'), 'job.py': job };
  const { code } = await run(files, [...flags, 'job.py::train', '--detach']);
  expect([code, sent().query]).toEqual([0, expect.objectContaining(query)]);
});

test('a number of GPUs that no machine has is said to be wrong, and not the GPU', async () => {
  const { code, stderr } = await run({ 'job.py': job }, ['--gpu', 'H100:9', 'job.py::train', '--detach']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('"H100:9": expected 1 to 8 of a GPU, such as H100:8')]);
  const unknown = await run({ 'job.py': job }, ['--gpu', 'FOO:2', 'job.py::train', '--detach']);
  expect(unknown).toExit(2, 'expected one of TURING_T4');
});

test('keeps nothing of the run before but its region', async () => {
  const has = () => [...emulator.store.apps.values()][0]?.settings;
  const line = (...flags: string[]) =>
    run({ 'job.py': job }, [...flags, '--name', 'jobs', '--detach', 'job.py::train']);
  await line('--gpu', 'H100:2', '--region', 'us-east-1');
  expect(has()).toMatchObject({ compute: ['HOPPER_H100'], gpuCount: 2, region: 'us-east-1' });
  await line('--region', 'eu-north1');
  expect(has()).toMatchObject({ compute: ['CPU'], gpuCount: 0, cpu: 2, memory: 4, region: 'eu-north1' });
  const files = { 'cerebrium.toml': toml('[cerebrium.hardware]\ncpu = 8\nmemory = 16\n'), 'job.py': job };
  await run(files, ['--detach', 'job.py::train']);
  await line();
  expect(has()).toMatchObject({ cpu: 2, memory: 4, region: 'eu-north1' });
});

test.skipIf(!python).each(['a job', 'web'])('the emulator says that it has no GPU for a run of %s', async (name) => {
  if (name === 'web') await deployWeb(real);
  const app = name === 'web' ? ['--name', name] : [];
  const { code, stderr } = await run({ 'job.py': 'print(1)' }, [...app, '--gpu', 'H100', 'job.py']);
  expect([code, stderr]).toEqual([0, expect.stringContaining('compute HOPPER_H100 is simulated')]);
});

test.each([
  ['sub/g.py:aio', 'gantry run sub/g.py::aio'],
  ['sub.g::aio', 'gantry run sub/g.py::aio'],
  ['sub/g', 'gantry run sub/g.py'],
  ['f', 'for example: gantry run job.py'],
])('%s proposes a file that is there', async (target, line) => {
  const { code, stderr } = await run({ 'job.py': job, 'sub/g.py': job }, [target]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(`fix ${line}\n`)]);
});

describe.skipIf(!python)('why a file fails', () => {
  const parsed =
    'import argparse\np = argparse.ArgumentParser()\np.add_argument("--epochs", type=int)\np.parse_args()\n';
  const listed = toml('[cerebrium.dependencies.pip]\nno_such_thing = "latest"\n');

  test.each([
    ['arguments', [parsed], ['--epochs', 'three'], 'the program refuses its arguments: argument --epochs: invalid'],
    ['a package', ['import no_such_thing\n', listed], [], 'but this emulator installs no packages'],
    [
      'a call',
      ['def d(g):\n    def f(a, /):\n        pass\n    return f\n\n@d\ndef f(a):\n    pass\n'],
      ['a=1'],
      'f takes a by its position only',
    ],
  ])('names %s', async (_, [text = '', config = toml()], words, title) => {
    const target = text.startsWith('def') ? 'job.py::f' : 'job.py';
    const { code, stderr } = await run({ 'job.py': text, 'cerebrium.toml': config }, [target, ...words]);
    expect([code, stderr]).toEqual([13, expect.stringMatching(title)]);
    expect(stderr).not.toMatch(/job\.py:\d\d|entrypoint|line \d\d|\[cerebrium\.dep/);
  });
});

test('--gpu without a value keeps the file, and shows a GPU', async () => {
  const { code, stderr } = await run({ 'job.py': job }, ['--gpu', 'job.py', 'bert']);
  expect([code, stderr]).toEqual([2, expect.stringMatching(/fix for example: gantry run --gpu \w+_T4 job\.py bert\n/)]);
});

test('--gpu A100 is one of two', async () => {
  expect(await run({ 'job.py': job }, ['--gpu', 'A100', 'job.py'])).toExit(2, 'AMPERE_A100_40GB');
});

describe('what is sent', () => {
  test('is the folder without version control, environments and caches, also without cerebrium.toml', async () => {
    const { code, stdout } = await run(
      {
        'job.py': job,
        'data/words.txt': 'a',
        '.env': 'SECRET=1',
        '.git/objects/ab/cd': 'x'.repeat(5_000_000),
        'venv/pyvenv.cfg': '',
        'venv/lib/big.py': 'x'.repeat(5_000_000),
        'own-env/pyvenv.cfg': '',
        '__pycache__/job.pyc': 'x',
        'node_modules/a/b.js': 'x'.repeat(5_000_000),
        'pkg/__pycache__/x.pyc': 'x',
      },
      ['--name', 'jobs', 'job.py', '--detach'],
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/^[0-9a-f-]{36}\n$/);
    expect(Object.keys(await sentFiles())).toEqual(['data/words.txt', 'job.py']);
    expect(sent()).toMatchObject({ projectId: emulator.project, query: { filename: 'job.py', appName: 'jobs' } });
    expect(called('createRunApp')[0]?.query).toEqual({});
    expect(called('prepareBaseImage')).toEqual([]);
  });

  test('that only defines functions is sent with a warning, and the line that calls one', async () => {
    const { code, stderr } = await run({ 'job.py': 'def train():\n    return 1\n' }, ['job.py', '--detach']);
    expect(code).toBe(0);
    expect(stderr).toContain('job.py only defines functions, and calls none\n  fix gantry run job.py::train');
  });

  test('the line that calls a function has the words and the flags that were typed', async () => {
    const files = { 'job.py': 'def train(epochs):\n    return 1\n' };
    const { stderr } = await run(files, ['--region', 'us-east-1', '--detach', 'job.py', 'epochs:=2']);
    expect(stderr).toContain('fix gantry run --region us-east-1 --detach job.py::train epochs:=2\n');
  });

  test('is named after the folder, converted to a valid name', async () => {
    const parent = newFolder({ 'My Jobs (that have an even longer name)/job.py': job });
    const cwd = join(parent, 'My Jobs (that have an even longer name)');
    await gantry(['run', 'job.py', '--detach'], { emulator, cwd });
    expect(sent().query.appName).toBe('my-jobs-that-have-an-even-long');
  });

  test('has no field of one that was waited for, wherever --detach stands', async () => {
    const files = { 'job.py': job };
    for (const words of [
      ['--detach', 'job.py'],
      ['job.py', '--detach'],
    ])
      expect(await run(files, ['--json=logs', '--name', 'jobs', ...words])).toExit(2, 'unknown JSON field "logs"');
    expect(called('createRunApp')).toEqual([]);
  });

  test.each([
    ['the flag', ['--region', 'eu-north1'], { GANTRY_REGION: 'us-west-2' }, 'eu-north1'],
    ['the environment', [], { GANTRY_REGION: 'us-west-2' }, 'us-west-2'],
    ['cerebrium.toml', [], {}, 'us-east-1'],
  ])('has its region from %s', async (_, flags, env, region) => {
    const files = { 'cerebrium.toml': toml('[cerebrium.hardware]\nregion = "us-east-1"\n'), 'job.py': job };
    await run(files, ['job.py', '--detach', ...flags], { env });
    expect([called('createRunApp')[0]?.query, sent().query.region]).toEqual([{ region }, region]);
  });

  test('has the region of the profile for a new app only, and that of the app otherwise', async () => {
    const home = newFolder();
    await gantry(['config', 'set', 'region', 'eu-west-2'], { env: { GANTRY_CONFIG_DIR: home } });
    const env = { GANTRY_CONFIG_DIR: home };
    await run({ 'cerebrium.toml': toml(), 'job.py': job }, ['job.py', '--detach'], { env });
    expect(called('createRunApp')[0]?.query).toEqual({ region: 'eu-west-2' });
    const [created] = emulator.store.apps.values();
    if (created) created.settings.region = 'us-central1';
    await run({ 'cerebrium.toml': toml(), 'job.py': job }, ['job.py', '--detach'], { env });
    expect(called('createRunApp')[1]?.query).toEqual({ region: 'us-central1' });
  });

  test('sends hardware in the platform’s form, and only the first compute type', async () => {
    const hardware = 'compute = ["ADA_L4", "AMPERE_A10"]\ngpu_count = 2\ncpu = 4\nmemory = 12.5\n';
    await run({ 'cerebrium.toml': toml(`[cerebrium.hardware]\n${hardware}`), 'job.py': job }, ['job.py', '--detach']);
    expect(sent().query).toEqual({
      filename: 'job.py',
      appName: 'jobs',
      computeType: 'ADA_L4',
      gpuCount: '2',
      cpu: '4.0',
      memoryGb: '12.5',
    });
  });

  test('builds a base image first if there are dependencies', async () => {
    const more = [
      'shell_commands = ["echo hi"]',
      'docker_base_image_url = "debian:bookworm-slim"',
      ...['[cerebrium.dependencies.pip]', 'numpy = ""', 'torch = "2.5"', 'pandas = ">=2,<3"'],
      ...['[cerebrium.dependencies.apt]', 'ffmpeg = "latest"'],
    ].join('\n');
    await run({ 'cerebrium.toml': toml(more), 'job.py': job }, ['job.py', '--detach']);
    expect(called('prepareBaseImage')[0]?.body).toEqual({
      dependencies: {
        pip: { numpy: 'latest', torch: '==2.5', pandas: '>=2,<3' },
        conda: {},
        apt: { ffmpeg: 'latest' },
      },
      preBuildCommands: [],
      shellCommands: [Buffer.from('echo hi').toString('base64')],
      baseImageURI: 'debian:bookworm-slim',
    });
    expect(sent().query.imageDigest).toMatch(/^sha256:/);
    const asked = new Set(emulator.calls.map(({ endpoint }) => endpoint));
    expect([...asked].slice(0, 3)).toEqual(['createRunApp', 'prepareBaseImage', 'startRun']);
  });

  test.each(['', 'OK', '[]', '{"message":"App jobs created"}'])(
    'goes on whatever the platform says of the app: %j',
    async (body) => {
      const env = await altering(emulator, (_, path) => (path.endsWith('create-run-app') ? { body } : undefined));
      const { code, stdout, stderr } = await run({ 'job.py': job }, ['--name', 'jobs', 'job.py', '--detach'], { env });
      expect([code, stdout], stderr).toEqual([0, expect.stringMatching(/^[0-9a-f-]{36}\n$/)]);
    },
  );

  test('reads the packages of a requirements file, and warns about unsupported lines', async () => {
    const lines = '# ours\nnumpy\ntorch [cuda] ==2.5 # pinned\nx>=1; python_version < "3.9"\n-r other.txt\n\n';
    const files = {
      'cerebrium.toml': toml('[cerebrium.dependencies.paths]\npip = "requirements.txt"\n'),
      'job.py': job,
      'requirements.txt': lines,
    };
    const { stderr } = await run(files, ['job.py', '--detach']);
    expect(called('prepareBaseImage')[0]?.body).toMatchObject({
      dependencies: { pip: { numpy: 'latest', 'torch[cuda]': '==2.5', x: '>=1; python_version < "3.9"' } },
    });
    expect(stderr).toContain('"-r other.txt" in');
  });

  test('merges the data of all sources; pairs win', async () => {
    const line = ['--data', '{"epochs": 1, "deep": [1]}', 'job.py::train', '--detach', '--', 'name=a=b', 'epochs:=3'];
    await run({ 'job.py': job }, line);
    expect(sent()).toMatchObject({
      data: { epochs: 3, deep: [1], name: 'a=b' },
      query: { functionName: 'train' },
    });
  });

  test.each([
    ['a file', ['--data', '@data.json'], ''],
    ['a file with a byte-order mark', ['--data', '@marked.json'], ''],
    ['stdin', ['--data', '-'], '{"epochs": 5}'],
  ])('is data from %s', async (_, flags, stdin) => {
    const data = '{"epochs": 5}';
    const files = { 'job.py': job, 'data.json': data, 'marked.json': `\ufeff${data}` };
    await run(files, ['job.py::train', '--detach', ...flags], { stdin });
    expect(sent().data).toEqual({ epochs: 5 });
  });

  test.each([
    [['--data', '{"epochs": 2}', '--region', 'eu-north1', '--detach', 'job.py::train']],
    [['job.py::train', '--data', '{"epochs": 2}', '--region', 'eu-north1', '--detach']],
  ])('accepts flags before or after the file name: %j', async (line) => {
    await run({ 'job.py': job }, line);
    expect(sent()).toMatchObject({ data: { epochs: 2 }, query: { region: 'eu-north1', functionName: 'train' } });
  });

  test.each(['job.py', './job.py', 'deep/../job.py', 'ABSOLUTE/job.py', 'LINK/job.py'])(
    'calls the function for any form of the path, and does not change the local file: %s',
    async (form) => {
      const app = newFolder({ 'job.py': job, 'deep/x.py': '' });
      const elsewhere = newFolder();
      symlinkSync(app, join(elsewhere, 'link'));
      const path = form.replace('ABSOLUTE', app).replace('LINK', join(elsewhere, 'link'));
      await gantry(['run', `${path}::train`, '--detach'], { emulator, cwd: app });
      expect(sent().query.filename).toBe('job.py');
      expect((await sentFiles())['job.py']).toMatch(/^import sys[\s\S]+__gantry_call\("train", True\)\n$/);
      expect(readFileSync(join(app, 'job.py'), 'utf8')).toBe(job);
    },
  );

  test.each([
    ["if __name__ == '__main__': train()", undefined, false],
    ['main = train\ndef main(): pass', undefined, true],
    ['# nothing to call', undefined, false],
    ["if '__main__' == __name__:\n    train()", 'train', true],
  ])('appends a call only if the file has none: %j', async (more, name, has) => {
    await run({ 'jobs/a.py': `${job}\n${more}\n` }, [`jobs/a.py${name ? `::${name}` : ''}`, '--detach']);
    const text = (await sentFiles())['jobs/a.py'] ?? '';
    expect(text.includes('__gantry_call')).toBe(has);
    // The main guard of the file must not run too.
    if (name) expect(text).toContain("if '__main__' == 'import':");
  });
});

describe('nothing is sent', () => {
  const big = 'x'.repeat(3 * 1024 * 1024);
  const packages = Array.from({ length: 20_000 }, (_, index) => `package-number-${index}`).join('\n');
  const listed = { 'cerebrium.toml': toml('[cerebrium.dependencies.paths]\npip = "r.txt"'), 'r.txt': packages };

  test.each<[what: string, words: string, exit: number, said: RegExp, files?: Record<string, string>]>([
    ['a missing file', 'nope.py', 6, /nope\.py not found\n/],
    ['not a Python file', 'j.sh', 2, /not a Python file: j\.sh\n[\s\S]* fix for example: gantry run job\.py /],
    [
      'a missing function',
      'job.py::trian',
      6,
      /function trian not found in job\.py: did you mean train\?\n {2}why avail/,
    ],
    ['a function with a similar name', 'job.py::trains', 6, /did you mean train\?[\s\S]*fix gantry run job\.py::train/],
    ['a function in a function', 'a.py::g', 6, /function g not found/, { 'a.py': 'def f():\n def g(): pass\n' }],
    [
      'data without a function',
      '--data {} a.py',
      2,
      /fix gantry run --data .* a\.py::f /,
      { 'a.py': 'def f(a): pass' },
    ],
    ['data that is not JSON', 'job.py::train --data {', 2, /--data is not valid JSON/],
    ['data that is not an object', 'job.py::train --data [1]', 2, /--data is not a JSON object/],
    ['a word that is not a pair', 'job.py::train epochs', 2, /invalid parameter "epochs"/],
    ['an excluded file', 'job.py', 10, /"j\*\.py"/, { 'cerebrium.toml': toml('exclude = ["j*.py"]') }],
    ['a file in a cache', 'venv/a.py', 10, /venv is excluded unless/, { 'venv/a.py': job }],
    ['files too large', 'job.py', 10, /the largest files:\n +3\.0 MiB {2}a\n +3\.0 MiB {2}b/, { a: big, b: big }],
    [
      'files too large beside the folder of the file',
      '--detach jobs/job.py 3',
      10,
      /fix gantry run --detach -C jobs job\.py 3\n/,
      { 'jobs/job.py': job, a: big, b: big },
    ],
    [
      'files too large beside the program: it is not excluded',
      'job.py 3',
      10,
      /exclude = \[".*", "\.\/a"\]/,
      { 'job.py': `${job}#${big.slice(0, 1e6)}`, a: big, b: big },
    ],
    [
      'a folder behind the file',
      '--detach a.py 3 --cwd jobs',
      6,
      /fix gantry run --detach -C jobs a\.py 3\n/,
      { 'jobs/a.py': job },
    ],
    ['data too large', 'job.py::train --data @d', 2, /for a run: 3 MiB \(maximum 2 MiB/, { d: `{"a": "${big}"}` }],
    ['a name too long', `--name ${'a'.repeat(31)} job.py`, 2, /too long for a run/],
    ['dependencies too large', 'job.py', 10, /too large for a run: .* \(maximum 380 KiB\)/, listed],
    ['a partner’s app', 'job.py', 2, /has no code/, { 'cerebrium.toml': toml('[cerebrium.runtime.rime]\n') }],
  ])('%s', async (_, words, exit, said, files) => {
    const outcome = await run({ 'job.py': job, ...files }, [...words.split(' '), '--json']);
    expect(outcome).toExit(exit, said);
    expectErrorDocument(outcome);
    expect(emulator.calls).toEqual([]);
  });

  test('of a file outside the folder', async () => {
    expect(await run({}, [join(newFolder({ 'job.py': job }), 'job.py')])).toExit(2, 'is outside');
  });

  test.each([
    ['my job', ['my job.py']],
    ['my job.py::gree', ['my job.py::greet']],
    ['my job.py::greet', ['my job.py::greet', 'name=text']],
  ])('a file with a space stays one word in the line to type: %s', async (target, words) => {
    const outcome = await run({ 'my job.py': 'def greet(name):\n    pass\n' }, ['--detach', '--json', target]);
    expect(outcome.json()).toHaveProperty('error.next', ['gantry', 'run', '--detach', '--json', ...words]);
  });

  test('of a folder', async () => {
    const app = newFolder();
    mkdirSync(join(app, 'jobs.py'));
    expect((await gantry(['run', 'jobs.py'], { emulator, cwd: app })).stderr).toContain('jobs.py is a folder');
  });
});

describe.skipIf(!python)('the output of a program (needs python3)', () => {
  test('goes to stdout and stderr until the run ends', async () => {
    const source =
      'import sys\ndef main(name):\n    print("hello", name)\n    print()\n    print("oops", file=sys.stderr)\n';
    const outcome = await run({ 'job.py': source }, ['job.py', '--', 'name=you']);
    expect([outcome.code, outcome.stdout]).toEqual([0, 'hello you\n\n']);
    expect(outcome.stderr).toMatch(/^oops$/m);
    expect(Math.max(0, ...outcome.waits)).toBeLessThanOrEqual(testLateMs === 0 ? 1_000 : 2_000);
    const looks = called('getRun').map(({ number }) => number);
    expect(called('getAppLogs').at(-1)?.number).toBeGreaterThan(looks.at(-1) ?? 0);
    expectNoTrace(outcome, emulator);
  });

  test('that never comes is waited for, which is said, and the line that shows it later works here', async () => {
    const { stderr } = await run({ 'job.py': 'pass\n' }, ['--name', 'jobs', '--region', 'us-east-1', 'job.py']);
    expect(stderr).toMatch(/^it has ended; log lines may come for \d.* more$/m);
    expect(stderr).toMatch(/to show them later: gantry logs jobs --run [\da-f-]{36} --region us-east-1$/m);
  });

  test('may have many pages: no line is lost or out of order', async () => {
    const { code, stdout } = await run({ 'job.py': 'for number in range(2_500):\n    print(number)\n' }, ['job.py']);
    expect([code, stdout === Array.from({ length: 2_500 }, (_, number) => `${number}\n`).join('')]).toEqual([0, true]);
  });

  test('comes only from the function if one is given besides a main guard', async () => {
    const source = `${job}\nif __name__ == "__main__":\n    print("guard")\n`;
    expect((await run({ 'job.py': source }, ['job.py::train', 'epochs:=3'])).stdout).toBe('first: 3\n{"loss": 0.5}\n');
    expect((await run({ 'job.py': source }, ['job.py'])).stdout).toBe('guard\n');
  });

  test.each([
    ['--json', ['app', 'next', 'run', 'warnings']],
    ['--json app,run', ['app', 'run']],
    ['--json=app', ['app']],
  ])('is a document with %s behind a file that follows --, and so is a failure', async (flags, fields) => {
    const words = (file: string) => ['--detach', '--', file, ...flags.split(' ')];
    const started = await run({ 'job.py': job }, words('job.py'));
    expect([started.code, Object.keys(started.json() as object).toSorted()]).toEqual([0, fields]);
    const failed = await run({ 'job.py': job }, words('nope.py'));
    expect(failed.json()).toMatchObject({ error: { message: 'nope.py not found', exitCode: failed.code } });
  });

  test('is in one document with --json, and on stderr for people', async () => {
    const outcome = await run({ 'job.py': job }, ['job.py::train', '--json']);
    expect(outcome.json()).toEqual({
      run: expect.stringMatching(/^[0-9a-f-]{36}$/),
      app: expect.any(String),
      status: 'succeeded',
      programExitCode: 0,
      durationMs: expect.any(Number),
      logs: [
        { line: 'first: 1', stream: 'stdout', loggedAt: expect.stringMatching(/Z$/) },
        { line: '{"loss": 0.5}', stream: 'stdout', loggedAt: expect.stringMatching(/Z$/) },
      ],
    });
    expect(outcome.stderr).toContain('  first: 1\n');
    const picked = await run({ 'job.py': job }, ['job.py::train', '--json=status,programExitCode']);
    expect(picked.json()).toEqual({ status: 'succeeded', programExitCode: 0 });
  });

  test('is one event each with --events, the last of which is the result', async () => {
    const { stdout } = await run({ 'job.py': job }, ['--events', 'job.py::train']);
    const events = jsonLines(stdout);
    expect(events[0]).toMatchObject({ type: 'started' });
    expect(events.filter(({ type }) => type === 'log').map(({ line }) => line)).toEqual(['first: 1', '{"loss": 0.5}']);
    expect(events.at(-1)).toMatchObject({ type: 'result', status: 'succeeded', programExitCode: 0 });
    expect(events.at(-1)).not.toHaveProperty('logs');
  });

  test.each([
    ['an exception', 'raise ValueError("bad")', 1],
    ['the code of another failure', 'raise SystemExit(75)', 75],
    ['a signal', 'import os\nos.kill(os.getpid(), 9)', '137 (SIGKILL)'],
  ])('is relayed if it fails, and the exit code is 13: %s', async (_, source, programExitCode) => {
    const outcome = await run({ 'job.py': `print("begins")\n${source}\n` }, ['job.py', '--json']);
    expect(outcome).toExit(13, `failed with exit code ${programExitCode}`);
    expectErrorDocument(outcome);
    const details = {
      status: 'failed',
      programExitCode: Number.parseInt(`${programExitCode}`, 10),
      logs: expect.arrayContaining([{ line: 'begins', stream: 'stdout', loggedAt: expect.any(String) }]),
    };
    const fix = expect.stringMatching(/^gantry explain \S+ [0-9a-f-]{36}$/);
    expect(outcome.json()).toMatchObject({ error: { code: 'app-error', exitCode: 13, fix, details } });
  });

  test('is explained where an app has nothing but jobs', async () => {
    const asked = async (...line: string[]) => (await gantry([...line, '--json'], { emulator })).json();
    await run({ 'job.py': 'print("fine")\n' }, ['--name', 'jobs', 'job.py']);
    expect(await asked('explain', 'jobs')).toMatchObject({ failed: false, build: null, run: null });
    await run({ 'job.py': 'raise ValueError("bad")\n' }, ['--name', 'jobs', 'job.py']);
    expect(await asked('explain', 'jobs')).toMatchObject({ failed: true, run: expect.any(String) });
    const unknown = expect.not.objectContaining({ failure: expect.anything() });
    expect(await asked('status', 'jobs')).toMatchObject({ failure: null, unknown });
    expect((await gantry(['apps', 'list'], { emulator })).stderr).toContain('gantry apps list --ephemeral');
  });

  test('has its own exit code with --forward-exit-code, also when it is followed', async () => {
    const files = { 'job.py': 'raise SystemExit(42)\n' };
    const outcome = await run(files, ['--forward-exit-code', 'job.py', '--json']);
    expect([outcome.code, outcome.json()]).toMatchObject([42, { error: { code: 'app-error', exitCode: 42 } }]);
    const { app, run: id } = (outcome.json() as { error: { details: { app: string; run: string } } }).error.details;
    expect((await gantry(['logs', app, '--run', id, '-f'], { emulator })).code).toBe(13);
    expect(await run(files, ['--forward-exit-code', '--detach', 'job.py'])).toExit(2, 'cannot be combined');
  });

  test('cannot control the terminal', async () => {
    const outcome = await run({ 'job.py': 'print("a\\x1b]0;title\\x07b\\x1b[2Jc")\n' }, ['job.py'], { columns: 80 });
    expect(outcome.stdout).toBe('abc\n');
  });
});

describe('failures', () => {
  const slow = { 'job.py': 'import time\nprint("begins")\ntime.sleep(60)\n' };

  test('Ctrl-C cancels the run and exits with 130', async () => {
    const outcome = await run(slow, ['job.py'], { stop: /Started run/, columns: 200 });
    expect(outcome.code).toBe(130);
    expect(outcome.stderr).toMatch(/canceling run \S+ of gantry-test-\S+ \(press Ctrl-C again to quit immediately\)/);
    expect(outcome.stderr).toMatch(/canceled run/);
    const [begun] = [...emulator.store.runs.values()];
    expect(begun?.cancelledAt ?? begun?.statusCode).toBeDefined();
    expectNoTrace(outcome, emulator);
  });

  test('Ctrl-C during the request waits for the id of the run to cancel', async () => {
    const outcome = await run({ ...slow, 'cerebrium.toml': toml() }, ['job.py'], { stop: /Packed/ });
    expect(outcome.code).toBe(130);
    expect(called('startRun').length).toBe(called('cancelRun').length);
  });

  test.skipIf(!python)('exits with 8 at --timeout without canceling, and suggests how to follow', async () => {
    const outcome = await run(slow, ['--timeout', '5s', 'job.py', '--json']);
    expect(outcome).toExit(8, /is still in progress after 5\.0 s\n {2}fix gantry logs \S+ --run [0-9a-f-]{36} -f/);
    expect(called('cancelRun')).toEqual([]);
  });

  test.each([
    ['the reply is lost', 'reset-after', 69, 1],
    ['the platform fails', '500', 69, 1],
  ])('is not sent again: %s', async (_, fault, exit, times) => {
    emulator.fail('startRun', fault);
    const outcome = await run({ 'job.py': job }, ['job.py', '--detach']);
    expect([outcome.code, called('startRun').length]).toEqual([exit, times]);
    expect(outcome.stderr).toMatch(/why the request may have taken effect\n {2}fix gantry runs list/);
  });

  test('is sent again if the platform asks for it', async () => {
    emulator.fail('startRun', '429:2', '503:1');
    const outcome = await run({ 'job.py': job }, ['job.py', '--detach']);
    expect([outcome.code, called('startRun').length]).toEqual([0, 3]);
  });

  test.each([
    [{ status: 'failed', digest: '' }, 11, /base image for jobs failed to build \(failed\)/, 0],
    [
      { status: 'building', digest: '' },
      8,
      /is not ready after 10 s; the build continues\n {2}fix run the same command again/,
      8,
    ],
  ])('waits until the base image is ready or failed: %j', async (answer, exit, said, waits) => {
    const files = { 'job.py': job, 'cerebrium.toml': toml('[cerebrium.dependencies.pip]\nnumpy = ""\n') };
    const env = { GANTRY_API_URL: await answering(answer) };
    const outcome = await run(files, ['--timeout', '10s', 'job.py'], { env, clock: { now: Date.now() } });
    expect(outcome.stderr).toMatch(said);
    expect([outcome.code, outcome.waits.length]).toEqual([exit, waits]);
  });

  test.each([1, 2])('says why the platform refuses to build the base image: with its reply %i', async (last) => {
    const said =
      'error: No solution found when resolving dependencies\n  cause: Because nosuch was not found in the package registry and you require nosuch==1.0, we can conclude that your requirements are unsatisfiable.';
    let asked = 0;
    const address = await serving(({ url }, response) => {
      const isLast = url?.includes('/base-image') && ++asked === last;
      response.statusCode = isLast ? 400 : 200;
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(isLast ? { message: said } : { status: 'building', digest: '' }));
    });
    const files = { 'job.py': job, 'cerebrium.toml': toml('[cerebrium.dependencies.pip]\nnosuch = "1.0"\n') };
    const { code, json } = await run(files, ['--json', 'job.py'], {
      env: { GANTRY_API_URL: address },
      clock: { now: Date.now() },
    });
    expect([code, asked]).toEqual([11, last]);
    expect(json()).toMatchObject({
      error: {
        code: 'build-failed',
        why: expect.stringContaining('nosuch'),
        details: { explanation: { cause: 'package-not-found', location: { file: 'cerebrium.toml' } } },
      },
    });
  });

  test('fails only if an upload makes no progress', async () => {
    emulator.fail('startRun', 'stall');
    const outcome = await run({ 'job.py': job }, ['job.py', '--detach'], { io: { silenceMs: 1_000 } });
    expect([outcome.code, outcome.stderr]).toEqual([69, expect.stringContaining('no data for 1 s')]);
  });

  test('reports a reply without a run id', async () => {
    emulator.fail('startRun', 'empty');
    expect((await run({ 'job.py': job }, ['job.py', '--detach'])).code).toBe(69);
  });
});

describe('what follows the file belongs to the program', () => {
  const greet = 'def greet(prompt="", max_tokens=1, name="", region="", key=lambda a, b: a):\n    return prompt\n';
  const plain =
    'def greet(prompt="", max_tokens=1, *, deep: dict[str, int] = {"a": 1}, top_p=0.5):\n    return prompt\n';

  test.each([
    ['--prompt hi', { prompt: 'hi' }],
    ['--prompt=hi', { prompt: 'hi' }],
    ['prompt=hi', { prompt: 'hi' }],
    ['--max-tokens 3 --top_p=1', { max_tokens: '3', top_p: '1' }],
    ['--prompt -5', { prompt: '-5' }],
    ['max_tokens:=3 --prompt hi', { max_tokens: 3, prompt: 'hi' }],
    ['--data {"max_tokens":2} --prompt hi', { max_tokens: 2, prompt: 'hi' }],
    ['-- --prompt --detach=x', { prompt: '--detach=x' }],
  ])('%s', async (words, data) => {
    const spoken = words === '-- --prompt --detach=x' ? ['--', '--prompt=--detach=x'] : words.split(' ');
    const { code, stderr } = await run({ 'job.py': plain }, ['--detach', 'job.py::greet', ...spoken]);
    expect([code, stderr.includes('error')]).toEqual([0, false]);
    expect(sent().data).toEqual(data);
  });

  test.each([
    [['--region', 'eu-north1'], 'eu-north1'],
    [['--region=eu-north1'], 'eu-north1'],
    [['-r', 'eu-north1'], 'eu-north1'],
  ])('but for the region, %j', async (flags, region) => {
    for (const line of [
      ['job.py::greet', ...flags],
      [...flags, 'job.py::greet'],
    ]) {
      await emulator.reset();
      await run({ 'job.py': plain }, [...line, '--detach']);
      expect(sent().query.region).toBe(region);
    }
  });

  test.each([
    ['a flag of ours that is no parameter', plain, '--name ada', '--name ada'],
    ['a global flag', plain, '--quiet', '--quiet'],
    ['a global flag with a value', plain, '-p p-1', '--project p-1'],
    ['the region as a parameter', greet, '--region us-east-1', '--region us-east-1', 'region=us-east-1'],
    ['the data as a parameter', 'def greet(data):\n    pass\n', '--data {}', "--data '{}'", "'data={}'"],
    ['the timeout', plain, '--timeout=5m', '--timeout 5m'],
  ])('%s is refused with each spelling that works', async (_, source, flags, own, parameter?: string) => {
    const { code, stderr } = await run({ 'job.py': source }, ['job.py::greet', ...flags.split(' ')]);
    expect(code).toBe(2);
    const both = `fix for gantry: gantry run ${own} job.py::greet; for the program: gantry run job.py::greet ${parameter}\n`;
    expect(stderr).toContain(parameter === undefined ? `fix gantry run ${own} job.py::greet\n` : both);
    expect(emulator.calls).toEqual([]);
  });

  test.each(['--json', '--detach', '--region', '--data'])('%s after a script that has it is refused', async (flag) => {
    const script = `import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument("${flag}")\n`;
    const value = { '--region': ['us-east-1'], '--data': ['{}'] }[flag] ?? [];
    const { code, stderr } = await run({ 'job.py': script }, ['job.py', flag, ...value]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${flag} after job.py is ambiguous`)]);
    expect(stderr).toMatch(
      new RegExp(`fix for gantry: gantry run ${flag}.* job.py; for the program: .* job.py -- ${flag}`),
    );
    expect(emulator.calls).toEqual([]);
    expect((await run({ 'job.py': script.replace(flag, `${flag}s`) }, ['job.py', '--detach'])).code).toBe(0);
  });

  test.each([
    ['--name ada', { name: 'ada' }, 'gantry run --detach --name ada job.py::greet'],
    ['--name=ada region=x', { name: 'ada', region: 'x' }, 'gantry run --detach --name ada job.py::greet'],
  ])('%s is passed to a function that has this parameter, and a note says so', async (words, data, own) => {
    const { code, stderr } = await run({ 'job.py': greet }, ['--detach', 'job.py::greet', ...words.split(' ')]);
    expect([code, sent().data]).toEqual([0, data]);
    expect(sent().query.appName).not.toBe('ada');
    expect(stderr).toContain(`--name is passed to greet, which has this parameter; for gantry: ${own}`);
  });

  test.each([
    [
      'a misspelt parameter',
      '--promt hi',
      /no parameter promt: did you mean --prompt\?[\s\S]*fix gantry run .* --prompt hi\n/,
    ],
    [
      'a parameter without a value',
      '--prompt --top_p 1',
      /--prompt requires a value\n {2}fix prompt=text, or prompt:=/,
    ],
    ['one like a given one', '--promt hi --prompt a', /no parameter promt\n {2}why its parameters: .*\n(?! {2}fix)/],
    ['a short flag', '-x 1', /invalid argument "-x"/],
    ['a parameter that is given twice', '--prompt a prompt=b', /parameter prompt is given twice/],
    ['JSON without its flag', '{"prompt":"a=b"}', /fix pass a whole body as --data '\{"prompt":"a=b"\}'/],
    [
      'a region that is none',
      '--prompt a --region mars',
      /unknown region "mars"\n.* us-east-1\n.* --region us-east-1\n/,
    ],
  ])('%s is refused', async (_, words, said) => {
    expect(await run({ 'job.py': plain }, ['job.py::greet', ...words.split(' ')])).toExit(2, said);
    expect(emulator.calls).toEqual([]);
  });

  test.each([
    ['any parameters', 'def greet(a=1, **more):\n    pass\n'],
    ['a decorator', '@wrap\ndef greet(a, b):\n    pass\n'],
  ])('a program with %s takes every name', async (_, source) => {
    const { code } = await run({ 'job.py': source }, ['--detach', 'job.py::greet', '--anything', 'x']);
    expect([code, sent().data]).toEqual([0, { anything: 'x' }]);
  });

  test.each([
    ['', 'greet requires prompt, count', 'job.py::greet prompt=text count:=1'],
    ['--prompt hi', 'greet requires count', 'job.py::greet count:=1 --prompt hi'],
    ['--data {"prompt":"hi"} top_p:=1', 'greet requires count', undefined],
  ])('what %j lacks is asked for before anything is sent', async (words, said, line) => {
    const source = 'def greet(prompt, *, count: int, top_p: float = 0.5, **more):\n    pass\n';
    const outcome = await run({ 'job.py': source }, ['job.py::greet', ...words.split(' ').filter(Boolean)]);
    expect(outcome).toExit(2, `${said}\n  why its parameters: prompt, count, top_p (optional)\n`);
    if (line) expect(outcome.stderr).toContain(`fix gantry run ${line}\n`);
    expect(emulator.calls).toEqual([]);
  });

  test.skipIf(!python)('text where a number is due is said before and after it fails', async () => {
    const source = 'def add(first, count: int):\n    return count + 1\n';
    const { stderr } = await run({ 'job.py': source }, ['--name', 'jobs', 'job.py::add', 'first=a', '--count', '25']);
    expect(stderr).toContain('warning: count is text, and add takes int: count:=… passes JSON\n');
    expect(stderr).toContain('  fix pass it as a number, not as text: count:=25\n');
    const later = await gantry(['explain', 'jobs', '--json'], { emulator });
    const hint = /^correct job\.py:2 .*: if a call passes it, name=1 is text, and name:=1 a number$/;
    expect(later.json()).toHaveProperty('fix', expect.stringMatching(hint));
  });

  test.each([
    ['--nam Ada', 'name', '--name', '--name Ada'],
    ['nam=Ada', 'name', 'name', 'name=Ada'],
    ['nam:=1 --data {}', 'name', 'name', 'name:=1'],
    ['--anything Ada', 'name', undefined, ''],
  ])('a function with one parameter does not take %s for all of its data', async (words, parameter, meant, line) => {
    const source = `def greet(${parameter}):\n    pass\n`;
    const { code, stderr } = await run({ 'job.py': source }, ['job.py::greet', ...words.split(' ')]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('greet has no parameter ')]);
    if (meant)
      expect(stderr).toMatch(new RegExp(`did you mean ${meant}\\?\\n(.*\\n)* {2}fix gantry run job.py::greet ${line}`));
    expect(emulator.calls).toEqual([]);
  });

  test.skipIf(!python)('--data is all of the data of a function with one parameter, unless one is named', async () => {
    const files = { 'job.py': 'def wrap(f):\n    return f\n\n@wrap\ndef greet(item):\n    print(item["a"])\n' };
    expect(await run(files, ['job.py::greet', '--data', '{"a": 1}'])).toPrint('1\n');
    const named = await run(files, ['job.py::greet', '--data', '{"a": 1}', 'b=2']);
    expect(named.stderr).toContain("unexpected keyword argument 'a'");
    expect(named.code).toBeGreaterThan(0);
  });

  test('help and --json apply at any position', async () => {
    expect((await run({ 'job.py': plain }, ['job.py', '--help'])).stdout).toContain('gantry run');
    const { json } = await run({ 'job.py': plain }, ['job.py::greet', '--prompt', 'hi', '--detach', '--json=run']);
    expect(json()).toEqual({ run: expect.any(String) });
  });
});

test('a file of an app in a subfolder is refused with the command that runs it there', async () => {
  const files = { 'my-app/cerebrium.toml': toml(), 'my-app/jobs/job.py': job };
  const { code, stderr } = await run(files, ['my-app/jobs/job.py::train']);
  expect(code).toBe(2);
  expect(stderr).toContain('my-app/jobs/job.py belongs to the app in my-app');
  expect(stderr).toContain('fix gantry run -C my-app jobs/job.py::train\n');
  const again = await run(files, ['--gpu', 'H100', 'my-app/jobs/job.py', '--epochs', '3']);
  expect(again.stderr).toContain('fix gantry run --gpu H100 -C my-app jobs/job.py -- --epochs 3\n');
  const inApp = await run({ ...files, 'cerebrium.toml': toml() }, ['my-app/jobs/job.py::train', '--detach']);
  expect([inApp.code, sent().query.filename]).toEqual([0, 'my-app/jobs/job.py']);
});

test('help says which flags of gantry are taken after the file: any other is refused there', async () => {
  const { details, flags } = await referenceOf('run');
  const own = [...globalFlags(), ...flags].map((flag) => ({
    names: flag.flags.match(/--?[a-zA-Z][\w-]*/g) ?? [],
    takesValue: flag.type !== 'boolean' && flag.valueRequired,
  }));
  const taken = own.filter(({ names, takesValue }) => {
    const found = parseProgramArguments([names.at(-1) ?? '', ...(takesValue ? ['x'] : [])], own);
    try {
      checkProgramArguments(found, 'job.py', undefined, '');
      return true;
    } catch {
      return false;
    }
  });
  const named = details[0]?.match(/--[\w-]+/g) ?? [];
  expect(taken.map(({ names }) => names.at(-1)).sort()).toEqual(named.sort());
});

test('a config file may have only the dependencies: the name is that of the folder', async () => {
  const files = { 'job.py': job, 'cerebrium.toml': '[cerebrium.dependencies.pip]\nnumpy = "latest"\n' };
  const { code, stderr } = await run(files, ['--detach', 'job.py::train']);
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('missing app name')]);
  expect(sent().query.appName).toMatch(/gantry-test/);
  const outcome = await gantry(['deploy', '--dry-run'], { emulator, cwd: newFolder(files) });
  expect(outcome).toExit(10, 'missing app name');
});
