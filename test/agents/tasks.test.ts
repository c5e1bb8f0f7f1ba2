import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import parseWords from 'string-argv';
import { beforeEach, expect, test } from 'vitest';
import { address, emulatorForAll, gantry, newFolder, type Setting, smallApp } from '../support/index.ts';

/**
 * Tasks that an agent gets, done with nothing but the commands of the skill and their JSON: no text of a message decides
 * what happens next.
 */
const skill = readFileSync('src/cli/commands/agent-skill.md', 'utf8');

let folder: string;

const emulator = emulatorForAll({ seed: 1 });

beforeEach(async () => {
  folder = newFolder(smallApp());
});

interface Answer {
  code: number;
  /** The document, or the lines of a stream. */
  // biome-ignore lint/suspicious/noExplicitAny: a script reads the fields of whatever it gets.
  json: any;
}

/** Runs a command of the skill as a script would: without a terminal, reading stdout and the exit code only. */
async function run(line: string | readonly string[], setting: Setting = {}): Promise<Answer> {
  const words = typeof line === 'string' ? parseWords(line) : [...line];
  if (words[0] === 'gantry') words.shift();
  const command = words.filter((word) => /^[a-z-]+$/.test(word)).slice(0, 2);
  const isTaught = [command.join(' '), `${command[0]} `].some((name) => skill.includes(`gantry ${name}`));
  if (!isTaught) throw new Error(`the skill does not teach gantry ${command.join(' ')}`);
  const { code, stdout } = await gantry(words, { emulator, cwd: folder, stdin: '', ...setting });
  return { code, json: parsed(stdout) };
}

function parsed(stdout: string): unknown {
  try {
    return JSON.parse(stdout);
  } catch {
    return stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  }
}

test('1: finds out which account and project it works in, and whether the platform is up', async () => {
  const { json: account } = await run('whoami --verify --json');
  expect(account).toMatchObject({ project: emulator.project, verified: true });
  const { json: services } = await run('status --json');
  expect(services).toBeDefined();
});

test('2: finds the line of cerebrium.toml that is wrong, and repairs it', async () => {
  const path = join(folder, 'cerebrium.toml');
  await writeFile(path, '[cerebrium.deployment]\nname = "web"\n\n[cerebrium.hardware]\ncpu = "four"\n');
  const wrong = await run('check --json');
  expect([wrong.code, wrong.json.error.code]).toEqual([10, 'project']);
  const { problems } = wrong.json.error.details;
  const problem = problems.find(({ severity }: { severity: string }) => severity === 'error');
  const lines = readFileSync(path, 'utf8').split('\n');
  lines[problem.location.line - 1] = 'cpu = 4';
  await writeFile(path, lines.join('\n'));
  expect(await run('check --json')).toMatchObject({ code: 0, json: { valid: true } });
});

test('3: sees what a deploy would send and change before it deploys', async () => {
  const { json: plan } = await run('deploy --dry-run --json');
  expect(plan).toMatchObject({ dryRun: true, changed: true, send: { files: 2 } });
  const { code, json } = await run(plan.next[0].argv.concat('--json'));
  expect([code, json.status]).toEqual([0, 'succeeded']);
});

test('4: deploys and returns the endpoint', async () => {
  const { json } = await run('deploy --json --timeout 30m');
  expect(json).toMatchObject({ app: 'web', status: 'succeeded', endpoint: expect.stringContaining('/web') });
});

test('5: deploys without waiting, and follows the build later', async () => {
  const { json: started } = await run('deploy --detach --json');
  expect((await run([...started.next[0].argv, '--json', '--timeout=30m'])).code).toBe(0);
});

test('6: finds why the last deploy failed', async () => {
  emulator.fail('build', 'build_failure');
  await run('deploy --json');
  const { json: build } = await run(['builds', 'list', 'web', '--json', '--jq', '.[0] | {id, status}']);
  expect(build.status).toBe('build_failure');
  const { json: log } = await run(['logs', 'web', '--build', build.id, '--json']);
  expect(JSON.stringify(log)).toMatch(/error/i);
});

test('7: is told by a failed deploy where to look', async () => {
  emulator.fail('build', 'build_failure');
  const failed = await run('deploy --json');
  expect([failed.code, failed.json.error.retryable]).toEqual([11, false]);
  const { code, json } = await run(failed.json.error.next);
  expect([code, JSON.stringify(json).includes('log')]).toEqual([0, true]);
});

test('8: rolls out and checks that the new build is the one that runs', async () => {
  const { json: deployed } = await run('deploy --json');
  const { json: app } = await run('apps get web --json=status,latestReadyBuildId');
  expect(app).toEqual({ status: 'ready', latestReadyBuildId: deployed.build });
});

test('9: calls an app and reads the response', async () => {
  const { code, json } = await run('invoke transcriber text=great --json');
  expect([code, json.statusCode]).toEqual([0, 200]);
  expect(json).toHaveProperty('body');
});

test('10: calls an app without waiting, and follows the run to its end', async () => {
  const { json: started } = await run('invoke transcriber text=great --async --json');
  // The call was accepted before the platform knows its run.
  emulator.late.pass();
  expect((await run([...started.next[0].argv, '--json'])).code).toBe(0);
});

test('11: finds failed calls of an app and the log of one', async () => {
  const { json: runs } = await run('runs list transcriber --status failure --json --limit 3');
  expect(runs.length).toBeGreaterThan(0);
  const { code } = await run(['logs', 'transcriber', '--run', runs[0].id, '--json']);
  expect(code).toBe(0);
});

test('12: scales an app, and finds the new values', async () => {
  const { json } = await run('apps scale transcriber --min-replicas 1 --max-replicas 3 --json');
  expect(json.changed).toBe(true);
  const { json: app } = await run('apps get transcriber --json=minReplicaCount,maxReplicaCount');
  expect(app).toEqual({ minReplicaCount: 1, maxReplicaCount: 3 });
});

test('13: copies a model to the volume, and sees that it is there', async () => {
  await writeFile(join(folder, 'model.bin'), 'weights');
  const { json } = await run('cp model.bin :/models/ --json');
  expect(json).toMatchObject({ files: 1, bytes: 7 });
  const { json: entries } = await run('ls /models --json');
  expect(JSON.stringify(entries)).toContain('model.bin');
});

test('14: rotates a secret without showing it', async () => {
  const env = { ...address(emulator), API_KEY: 'sk-first-value' };
  await run('secrets set API_KEY --from-env --yes --json', { env });
  const next = { ...env, API_KEY: 'sk-second-value' };
  const asked = await run('secrets set API_KEY --from-env --json', { env: next });
  expect([asked.code, asked.json.error.code]).toEqual([9, 'input-needed']);
  const { code, json } = await run('secrets set API_KEY --from-env --json --yes', { env: next });
  expect([code, JSON.stringify(json)]).toEqual([0, expect.not.stringContaining('sk-')]);
});

test('15: sets the secrets of a file', async () => {
  await writeFile(join(folder, '.env'), 'FIRST=a-value\nSECOND=b-value\n');
  const { code } = await run('secrets set --from-env-file .env --yes --json');
  expect(code).toBe(0);
});

test('16: runs a file once, and waits for it', async () => {
  await writeFile(join(folder, 'job.py'), 'print("done")\n');
  const { code, json } = await run('run job.py --detach --json');
  expect([code, json.app]).toEqual([0, expect.any(String)]);
  expect((await run([...json.next[0].argv, '--json'])).code).toBe(0);
});

test('17: searches a log', async () => {
  const { code, json } = await run('logs transcriber --since 1h --search Traceback --json');
  expect([code, Array.isArray(json) || typeof json === 'object']).toEqual([0, true]);
});

test('18: removes a file after it was told which flag is missing', async () => {
  await writeFile(join(folder, 'old.bin'), 'x');
  await run('cp old.bin :/old.bin --json');
  const asked = await run('rm /old.bin --json');
  expect([asked.code, asked.json.error]).toMatchObject([9, { fix: expect.stringMatching(/^pass --yes: /) }]);
  const { code, json } = await run('rm /old.bin --json --yes');
  expect([code, JSON.stringify(json)]).toEqual([0, expect.stringContaining('old.bin')]);
});

test('19: deletes an app only by its name', async () => {
  await run('deploy --json');
  const asked = await run('apps delete web --json');
  expect([asked.code, asked.json.error.fix, asked.json.error.next]).toEqual([
    9,
    'pass --confirm web: gantry apps delete web --json --confirm web',
    undefined,
  ]);
  const deleted = await run('apps delete web --json --confirm web');
  expect(deleted).toMatchObject({ code: 0, json: { app: 'web', changed: true } });
});

test('20: learns the names of apps from a wrong one', async () => {
  const wrong = await run('apps get transcribed --json');
  expect([wrong.code, wrong.json.error.code]).toEqual([6, 'not-found']);
  expect(wrong.json.error.details.apps).toContain('transcriber');
  expect(await run(wrong.json.error.next)).toMatchObject({ code: 0, json: { name: 'transcriber' } });
});

test('21: stops waiting in time, and continues later', async () => {
  emulator.fail('build', 'slow');
  const late = await run('deploy --json --timeout 1s');
  expect([late.code, late.json.error.code]).toEqual([8, 'pending']);
  expect(late.json.error.next).toEqual(['gantry', 'logs', 'web', '--build', expect.any(String), '-f', '--json']);
});

test('22: knows that it is not logged in', async () => {
  const { code, json } = await run('apps list --json', { env: { ...address(emulator), GANTRY_TOKEN: '' } });
  expect([code, json.error.code, json.error.next]).toEqual([4, 'auth', expect.any(Array)]);
});

test('23: finds the flags of a command without guessing', async () => {
  const { json } = await run('help deploy --json');
  expect(json.flags.map(({ flags }: { flags: string }) => flags)).toContain('--detach');
  const { json: schema } = await run('help deploy --schema --json');
  expect(schema.$defs.result).toBeDefined();
});

test('24: asks why a deploy failed, repairs it, and deploys again', async () => {
  const program = join(folder, 'main.py');
  const source = readFileSync(program, 'utf8');
  await writeFile(program, `__import__("_".join(["a", "module", "that", "nobody", "has"]))\n${source}`);
  const failed = await run('deploy --json');
  expect([failed.code, failed.json.error.code]).toEqual([12, 'not-ready']);
  const { json: explained } = await run('explain web --json');
  expect(explained.cause).toBe('module-missing');
  expect(JSON.stringify(explained.evidence)).toContain('a_module_that_nobody_has');
  await writeFile(program, source);
  expect((await run('deploy --json')).code).toBe(0);
});

test('25: lets the most expensive app sleep, after a look at what that changes', async () => {
  const { json: app } = await run(['apps', 'list', '--jq', 'max_by(.cost_metrics.total_cost) | {name}']);
  const { name } = app;
  await run(`apps scale ${name} --min-replicas 1 --json`);
  const planned = await run(`apps scale ${name} --min-replicas 0 --dry-run --json`);
  expect(planned.json).toMatchObject({ dryRun: true });
  expect((await run(`apps get ${name} --json=minReplicaCount`)).json.minReplicaCount).toBe(1);
  await run(`apps scale ${name} --min-replicas 0 --json`);
  expect((await run(`apps get ${name} --json=minReplicaCount`)).json.minReplicaCount).toBe(0);
});

test('26: finds what fills the volume, and frees it', async () => {
  await writeFile(join(folder, 'large.bin'), 'x'.repeat(5000));
  await run('cp large.bin :/old/checkpoints/ --json');
  const { json: use } = await run('volumes usage / --json');
  const [largest] = use.entries.toSorted((a: { bytes: number }, b: { bytes: number }) => b.bytes - a.bytes);
  const words = ['rm', '-r', use.path + largest.name, '--json'];
  const asked = await run(words);
  expect([asked.code, asked.json.error.code]).toEqual([9, 'input-needed']);
  expect((await run([...words, '--confirm', use.path + largest.name])).code).toBe(0);
  expect(JSON.stringify((await run('volumes usage / --json')).json.entries)).not.toContain(largest.name);
});

test('27: notices that somebody scaled the app by hand, and keeps that', async () => {
  await run('deploy --json');
  await run('apps scale web --max-replicas 4 --json');
  const refused = await run('deploy --fail-on-drift --json');
  expect([refused.code, refused.json.error.code]).toEqual([7, 'conflict']);
  expect((await run('deploy --keep-scaling --json')).code).toBe(0);
  expect((await run('apps get web --json=maxReplicaCount')).json.maxReplicaCount).toBe(4);
});

test('28: moves values from the config file to secrets', async () => {
  const path = join(folder, 'cerebrium.toml');
  const before = readFileSync(path, 'utf8');
  await writeFile(path, `${before}\n[cerebrium.secrets]\nMODEL_KEY = "abc-123"\n`);
  const { json: checked } = await run('check --json');
  const problem = checked.problems.find(({ fix }: { fix: string }) => fix?.startsWith('gantry secrets set'));
  expect(problem.fix).toContain('MODEL_KEY');
  expect(JSON.stringify(checked)).not.toContain('abc-123');
  const { code } = await run('secrets set --from-env-file - --app web --yes --json', {
    stdin: '{"MODEL_KEY": "abc-123"}',
  });
  expect(code).toBe(0);
  await writeFile(path, before);
  expect((await run('check --json')).json.problems).toEqual([]);
});
