import { describe, expect, test } from 'vitest';
import { deployPlanView } from '../../../src/cli/views/deploy-plan.ts';
import type { DeployPlan } from '../../../src/deploys/send/index.ts';
import { plainPage } from '../../support/page.ts';

const plan: DeployPlan = {
  dryRun: true,
  app: 'web',
  project: 'p-1',
  runtime: 'cortex',
  exists: true,
  status: 'ready',
  public: false,
  setup: {
    compute: ['ADA_L4', 'AMPERE_A10'],
    gpuCount: 2,
    cpu: 4,
    memory: 16,
    region: 'us-east-1',
    minReplicaCount: 0,
    maxReplicaCount: 3,
  },
  build: 'b-1',
  endpoint: '',
  region: null,
  keep: {},
  settings: [],
  fileChanges: { added: [], changed: [], removed: [], unchanged: 3, byCrc32: 0, unverified: 0 },
  send: { files: 3, bytes: 2048, largest: [{ path: 'main.py', bytes: 1024 }] },
  selection: null,
  failedBuild: null,
  older: false,
  because: null,
  changed: false,
};

const shown = (changes: Partial<DeployPlan>) => deployPlanView({ ...plan, ...changes })(plainPage());
const setup = (changes: object) => shown({ setup: { ...plan.setup, ...changes } }).split('\n')[1];

describe('a deploy plan', () => {
  test('names the app, the hardware, the replicas and the files', () => {
    const [headline, hardware, files] = shown({}).split('\n');
    expect(headline).toMatch(/^web in p-1: already deployed, .*cortex.*token/);
    expect(hardware).toBe('runs on 2 x ADA_L4 or AMPERE_A10, 4 cores, 16 GB, us-east-1; 0 to 3 replicas');
    expect(files).toBe('sends 3 files, 2.0 KiB');
  });

  const sends = (bytes: number) => ({ send: { files: 1, bytes, largest: [{ path: 'model.bin', bytes }] } });

  test.each<[changes: Partial<DeployPlan>, said: RegExp]>([
    [{ exists: false }, /^web in p-1: a new app,/],
    [{ exists: null }, /^web in p-1: unknown/],
    [{ public: true }, /public: anyone can call it/],
    [{}, /^(?!.*anyone can call it)/s],
    [sends(10 * 2 ** 20), /model\.bin/],
    [sends(10 * 2 ** 20 - 1), /^(?!.*model\.bin)/s],
    [{ send: { files: 0, bytes: 0, largest: [] } }, /sends no files/],
    [{ exists: null, changed: true }, /cannot read the deployed app.*$/],
    [{ exists: false, changed: true }, /would create the app.*$/],
    [{ failedBuild: 'build_error', changed: true }, /would change the app; the last build failed \(build_error\)$/],
    [{ failedBuild: 'build_error' }, /\nno changes; the last build failed \(build_error\)$/],
    [{ build: null, changed: true }, /no build serves.*$/],
    [{ changed: true }, /would change the app.*$/],
    [{}, /\nno changes$/],
    [{ fileChanges: null }, /files were not compared.*$/],
  ])('with %j says %s', (changes, said) => {
    expect(shown(changes)).toMatch(said);
  });

  test.each<[what: string, changes: object, expected: string]>([
    ['one word for the hardware', { compute: 'CPU', gpuCount: null }, 'runs on CPU, 4 cores'],
    ['no number of GPUs if there are none', { compute: 'CPU', gpuCount: 0 }, 'runs on CPU, 4 cores'],
    ['one core', { cpu: 1 }, '1 core, 16 GB'],
    ['a core written as text', { cpu: '1' }, '1 core, 16 GB'],
    ['no region if it is unknown', { region: null }, '16 GB; 0 to 3 replicas'],
    ['a fixed number of replicas', { minReplicaCount: 2, maxReplicaCount: 2 }, '; 2 replicas'],
    ['one replica', { minReplicaCount: 1, maxReplicaCount: 1 }, '; 1 replica'],
  ])('shows %s', (_, changes, expected) => {
    expect(setup(changes)).toContain(expected);
  });

  test('lists the settings it would change, and which of them return to their default', () => {
    const settings = [
      { setting: 'scaling.min_replicas', from: 1, to: 2, byDefault: false, drifted: false },
      { setting: 'hardware.region', from: '', to: ['a', 'b'], byDefault: true, drifted: null },
    ];
    const rows = shown({ settings })
      .split('\n')
      .map((line) => line.split(/ {2,}/));
    expect(rows).toContainEqual(['scaling.min_replicas', '1', '2']);
    expect(rows).toContainEqual(['hardware.region', '""', 'a or b', expect.stringContaining('default')]);
  });

  test('lists up to five files of a kind, and counts the others', () => {
    const names = (number: number) => Array.from({ length: number }, (_, index) => `f${index}`);
    const files = { added: names(5), changed: names(6), removed: names(8), unchanged: 0, byCrc32: 0, unverified: 0 };
    const lines = shown({ fileChanges: files }).split('\n');
    const list = (mark: string) => lines.filter((line) => line.startsWith(mark));
    expect(list('+')).toEqual(['+ f0', '+ f1', '+ f2', '+ f3', '+ f4']);
    expect(list('~').at(-1)).toBe('~ … 1 more file changed');
    expect(list('-').at(-1)).toBe('- … 3 more files removed');
    expect([list('~').length, list('-').length]).toEqual([6, 6]);
  });
});
