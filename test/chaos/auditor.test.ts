import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { audit } from './auditor.js';
import { markOfContent } from './content.js';
import { drawPlan } from './plans/index.js';
import { plantedBugs } from './planted-bugs.js';
import type { DiskEntry, Ended, Outcome, Plan, State, Step } from './types.ts';
import { readZip } from './zip.js';

const wanted = { size: 10, salt: 1 };
const old = { size: 4, salt: 2 };

test('the same seed draws the same plan', () => {
  expect(drawPlan(7)).toEqual(drawPlan(7));
  expect(drawPlan(7)).not.toEqual(drawPlan(8));
});

test('reports nothing about a correct run', () => {
  expect(judge({ after: { 'dst/a': wanted } })).toEqual([]);
});

const whole = { 'dst/a': wanted };
const elsewhere = state(whole);
elsewhere.disk.set('outside/precious', file(old));
const counted = Buffer.from(JSON.stringify({ files: 1, failed: [{ path: 'a' }] }));

test.each<[what: string, told: Told, finding: string]>([
  ['a file that is reported as done but missing', {}, 'exit code 0, but 1 of 1 are not there whole: dst/a'],
  ['a partial file', { after: { 'dst/a': old }, ended: { code: 1 } }, 'a target is torn or mixed: dst/a'],
  ['a changed file of the user', { before: { mine: old }, after: whole }, 'deleted: mine'],
  ['a leftover file', { after: { ...whole, 'dst/b~': old } }, 'left behind after a clean run: dst/b~'],
  [
    'a summary of too many files',
    { step: { isClean: false }, ended: { code: 1, stdout: counted } },
    'says 1 files are copied, 0 are',
  ],
  ['a bug', { after: whole, ended: { code: 70 } }, 'exit code 70'],
  ['a new exit code', { after: whole, ended: { code: 71 } }, 'exit code 71 is not documented'],
  ['a failure of nothing', { after: whole, ended: { code: 1 } }, 'exit code 1 although nothing went wrong'],
  ['an interrupt without a signal', { after: whole, ended: { code: 130 } }, 'exit code 130 without a signal'],
  ['the code of another signal', { after: whole, ended: { code: 143, sent: 'SIGINT' } }, 'exit code 143 after SIGINT'],
  [
    'a command that does not end',
    { after: whole, ended: { code: null, signal: 'SIGKILL', isLate: true } },
    'did not end',
  ],
])('finds %s', (_, told, finding) => {
  expect(judge(told)).toContainEqual(expect.stringContaining(`step 1: ${finding}`));
});

test.each<[what: string, told: Told, finding: string]>([
  ['a change outside of the work folder', { state: elsewhere }, 'changed outside of the work folder: outside/precious'],
  ['a token on stderr', { ended: { stderr: 'a.b.signature' } }, 'prints the token: cp :/src ./dst'],
  ['a signature on stdout', { ended: { stdout: Buffer.from('?sig=f00d') } }, 'prints a signature: cp :/src ./dst'],
  ['an invalid request', { violations: ['ls: a body'] }, 'request: ls: a body'],
])('finds %s, and nothing else', (_, told, finding) => {
  expect(judge({ after: whole, ...told })).toEqual([`step 1: ${finding}`]);
});

test('allows a failed run to leave a temporary file, which the next run has to remove', () => {
  const step = { isClean: false };
  const fired = [{ point: 'get', what: 'status', times: 9, status: 500 }];
  expect(judge({ step, fired, after: { 'dst/.temporary': old }, ended: { code: 69 } })).toEqual([]);
});

test('allows one of two commands to be refused, but not both, and no other failure', () => {
  const commands = [{ args: [] }, { args: [] }];
  const after = { 'dst/a': wanted };
  const step = { commands, isClean: false };
  expect(judge({ step, after, second: { code: 7 } })).toEqual([]);
  expect(judge({ step, after, ended: { code: 7 }, second: { code: 7 } })).toContain(
    'step 1: each of two commands was refused for the other one',
  );
  expect(judge({ step, after, second: { code: 1 } }).join()).toContain('exit code 1 although only nothing went wrong');
});

test('finds two commands that write to the same targets at the same time', () => {
  const commands = [{ args: [] }, { args: [] }];
  const turns = (...order: number[]) => order.map((by) => ({ point: 'download', by }));
  const told = { step: { commands, isClean: false }, after: { 'dst/a': wanted }, second: {} };
  expect(judge({ ...told, asked: [{ point: 'ls', by: 1 }, ...turns(0, 0, 1)] })).toEqual([]);
  expect(judge({ ...told, asked: turns(0, 1, 0) })).toEqual([
    'step 1: two commands with the same targets were at work at the same time (010)',
  ]);
});

test('finds endless page requests, and an endless list that is reported as complete', () => {
  const asked = (times: number) => Array.from({ length: times }, () => ({ point: 'runs-chart', by: 0 }));
  const facts = { runs: ['r-1'], lie: 'offset-ignored' };
  const listed = { stdout: Buffer.from('[{"id":"r-1"}]') };
  expect(judge({ kind: 'runs-list', facts, asked: asked(3), ended: listed })).toEqual([]);
  expect(judge({ kind: 'runs-list', facts, asked: asked(500), ended: listed })).toEqual([
    'step 1: asked for 500 pages of 1 items',
  ]);
  expect(judge({ kind: 'runs-list', facts: { ...facts, lie: 'invented' }, ended: listed })).toEqual([
    'step 1: exit code 0, although the list had no end',
  ]);
});

test('finds changed grants that could not be read before', () => {
  const [before, after] = [state({}), state({})];
  before.grants.set('sa-1', ['p-1']);
  after.grants.set('sa-1', ['p-1', 'p-2']);
  const facts = { before: ['p-1'], after: ['p-1', 'p-2'], grantForm: 'role' };
  const findings = (isCertain: boolean) =>
    judge({ kind: 'grants', facts: { ...facts, isCertain }, begun: before, state: after });
  expect(findings(true)).toEqual([]);
  expect(findings(false)).toEqual(['step 1: changed grants that it cannot know']);
});

test.for(plantedBugs)('the sources contain the code that the planted bug "$name" replaces', ({ edits }) => {
  for (const { file, from } of edits) {
    const pieces = readFileSync(join(import.meta.dirname, '../..', file), 'utf8').split(from);
    expect(pieces.length - 1, `${from} in ${file}`).toBe(1);
  }
});

test('reports a damaged archive', () => {
  expect(readZip(Buffer.from('no zip'))).toBe('it has no directory');
});

interface Told {
  step?: Partial<Step>;
  before?: Record<string, typeof wanted>;
  after?: Record<string, typeof wanted>;
  begun?: State;
  state?: State;
  ended?: Partial<Ended>;
  /** How another command ended that ran at the same time. */
  second?: Partial<Ended>;
  asked?: Outcome['asked'];
  /** Copies of files if left out. */
  kind?: string;
  facts?: Plan['facts'];
  fired?: Outcome['fired'];
  violations?: string[];
}

function judge({ step, before = {}, after = {}, ended, second, fired = [], violations = [], ...told }: Told): string[] {
  const args = ['cp', ':/src', './dst'];
  const run: Ended = {
    args,
    code: 0,
    signal: null,
    stdout: Buffer.alloc(0),
    stderr: '',
    ms: 1,
    isLate: false,
    ...ended,
  };
  const outcome: Outcome = {
    before: told.begun ?? state(before),
    after: told.state ?? state(after),
    fired,
    violations,
    signatures: ['f00d'],
    meddled: false,
    archive: undefined,
    asked: told.asked ?? [],
    ended: second ? [run, { ...run, code: 0, ...second }] : [run],
  };
  return audit(
    plan({ commands: [{ args }], faults: [], meddling: [], isClean: true, ...step }, told),
    [outcome],
    ['a.b.signature'],
  );
}

function plan(step: Step, { kind, facts = {} }: Pick<Told, 'kind' | 'facts'>): Plan {
  const targets = [{ path: 'dst/a', source: [wanted] }];
  return {
    kind: 'cp-down',
    local: [{ path: 'mine', content: old }],
    outside: [],
    volume: [],
    region: 'us-east-1',
    world: {},
    env: {},
    steps: [step],
    facts,
    secrets: [],
    ...(kind && { kind }),
    ...(!kind && { copies: { side: 'disk', targets, keeps: 'nothing', deleted: [], verified: false, impossible: [] } }),
  };
}

function state(files: Record<string, typeof wanted>): State {
  return {
    disk: new Map(Object.entries(files).map(([path, content]) => [`work/${path}`, file(content)])),
    volume: new Map(),
    grants: new Map(),
    secrets: {},
    builds: new Map(),
    calls: 0,
    created: 0,
  };
}

function file(content: typeof wanted): DiskEntry {
  return { kind: 'file', size: content.size, mark: markOfContent(content), mode: 0o644 };
}
