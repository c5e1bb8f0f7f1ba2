import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { describeUnknown, explainLog } from '../../src/causes/index.ts';
import { rules } from '../../src/causes/rules/index.ts';
import { cases, type FailureCase, factsOf, isSetAside, readCase } from './corpus.ts';
import * as reported from './reported.ts';

/** What the app folder shows, and what the last error says by itself. */
const causesWithoutRules = ['module-excluded', 'file-excluded', 'fix-in-message', 'package-import-failed'];

describe('the corpus', () => {
  test('has at least 120 failures that really happened, some of unknown kinds, and some logs of success', () => {
    const count = (matches: (one: FailureCase) => boolean) => cases.filter(matches).length;
    expect(count(({ made, cause }) => made === 'produced' && cause !== 'nothing')).toBeGreaterThanOrEqual(120);
    expect(count(({ cause }) => cause === 'unknown' || cause === 'code-error')).toBeGreaterThanOrEqual(12);
    expect(count(({ cause }) => cause === 'nothing')).toBeGreaterThanOrEqual(10);
    expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
  });

  test('names no machine and no host of a registry', () => {
    const hosts =
      /\b(?:pypi\.org|pythonhosted\.org|debian\.org|anaconda\.(?:org|com)|npmjs\.(?:org|com))\b|\/tmp\/failures|\/root\/\.pyenv/;
    expect(cases.filter((one) => hosts.test(readCase(one))).map(({ name }) => name)).toEqual([]);
  });

  test('expects causes that rules have', () => {
    const known = new Set([...rules.map(({ cause }) => cause), ...causesWithoutRules, 'unknown', 'nothing']);
    expect(cases.filter(({ cause }) => !known.has(cause))).toEqual([]);
  });
});

describe('the causes', () => {
  test('are right for the half that rules were written from', async () => {
    const { precision, recall, wrong } = await measure(cases.filter((one) => !isSetAside(one)));
    expect(wrong).toEqual([]);
    expect([precision, recall]).toEqual([1, expect.closeTo(1, 1)]);
  });

  test('are right for the half that was set aside before rules were written', async () => {
    const { precision, recall } = await measure(cases.filter(isSetAside));
    expect(precision).toBeGreaterThanOrEqual(0.95);
    expect(recall).toBeGreaterThanOrEqual(0.7);
  });
});

describe('the failures that others reported', () => {
  test('have a place, and no more lines than show the failure', () => {
    const all = [...reported.seen, ...reported.setAside];
    expect(all.length).toBeGreaterThanOrEqual(200);
    expect(new Set(all.map(({ from }) => from)).size).toBe(all.length);
    expect(all.filter(({ log }) => log.split('\n').length > 30)).toEqual([]);
  });

  test('get the right cause and the right advice in the half that rules were written from', () => {
    const { wrong, missed } = reported.measure(reported.seen);
    expect(missed).toEqual([]);
    // A lock file that uv cannot read: the command that failed is named, and no more is known.
    expect(wrong.map((line) => line.split(': ')[0])).toEqual(['github.com/astral-sh/uv/issues/10661']);
  });

  test('get the right cause and the right advice in the half that was set aside', () => {
    const { precision, recall } = reported.measure(reported.setAside);
    expect(precision).toBeGreaterThanOrEqual(0.97);
    expect(recall).toBeGreaterThanOrEqual(0.85);
  });
});

async function measure(some: readonly FailureCase[]): Promise<{ precision: number; recall: number; wrong: string[] }> {
  const answers = await Promise.all(
    some.map(async (one) => ({ ...one, answer: explainLog(readCase(one), await factsOf(one))?.cause })),
  );
  const known = answers.filter(({ cause }) => cause !== 'unknown' && cause !== 'nothing');
  const given = answers.filter(({ answer }) => answer !== undefined);
  const wrong = given.filter(({ cause, answer }) => cause !== answer);
  return {
    precision: (given.length - wrong.length) / given.length,
    recall: (given.length - wrong.length) / known.length,
    wrong: wrong.map(({ name, cause, answer }) => `${name}: ${cause}, not ${answer}`),
  };
}

test.each([
  ['shell_commands = ["exit 3"]', 'deployment.shell_commands', 'fetch.sh', '3'],
  ['pre_build_commands = ["fetch.sh"]', 'deployment.pre_build_commands', 'fetch.sh', '127'],
])('a failed command of the build is found in the config file: %s', async (line, setting, command, code) => {
  const config = `[cerebrium.deployment]\nname = "web"\n${line}\n`;
  const facts = await factsOf({ name: 'x', source: 'build', made: 'documented', cause: 'command-failed', config });
  const log = `+ ${command}\nERROR: the command "${command}" failed with exit code ${code}\n`;
  expect(explainLog(log, facts)).toMatchObject({
    title: `a command of the build failed, exit code ${code}: ${command}`,
    setting,
  });
});

test.each([
  ['uvicorn = "latest"', 'its entrypoint failed to start: uvicorn not found', 'uvicorn'],
  [
    '"sentence_transformers[all]" = "latest"',
    "ModuleNotFoundError: No module named 'sentence_transformers'",
    'sentence',
  ],
])('a package that the app lists is missing because the emulator installs none: %s', async (line, reason, name) => {
  const config = `[cerebrium.deployment]\nname = "web"\n[cerebrium.dependencies.pip]\n${line}\n`;
  const facts = await factsOf({ name: 'x', source: 'build', made: 'documented', cause: 'unknown', config });
  const hint = 'hint: the emulator installs packages only with --install (gantry deploy --install)';
  const found = explainLog(`ERROR: ${reason}\n`, { ...facts, status: 'init_failure', reason: `${reason}\n${hint}` });
  expect(found?.title).toMatch(new RegExp(`^the app lists ${name}.*, but this emulator installs no packages$`));
  expect(explainLog(`ERROR: ${reason}\n`, { ...facts, reason })?.title).toMatch(/is not installed/);
});

test.each([
  ['', 'exit code 3: make data'],
  ['make: nothing to be done\n', 'exit code 3: make data: make: nothing to be done'],
])('what a command of the build says is what it printed itself: %j', (printed, title) => {
  const log = `Received 2 files\n+ make data\n${printed}ERROR: the command "make data" failed with exit code 3\n`;
  expect(explainLog(log, { source: 'build' })?.title).toBe(`a command of the build failed, ${title}`);
});

test('what the platform says is shown once, if the log has it, too', () => {
  const traceback = ['Traceback (most recent call last):', '  File "main.py", line 2, in <module>', '    start()'];
  const lines = [...traceback, 'OddError: no'];
  const { log } = describeUnknown(`${lines.join('\n')}\n`, { reason: `OddError: no\n${lines.join('\n')}\nand more` });
  expect(log).toEqual([...lines, 'and more']);
});

test('without a log, what was answered to a call is the cause', () => {
  const { title, log } = describeUnknown('', { reason: 'app web has no successful build', statusCode: 503 });
  expect([title, log]).toEqual(['app web has no successful build; the call returned 503', []]);
});

test('what a build lists for itself counts, not what its file lists by now', () => {
  const log = `The emulator does not install pip packages\n- humanize>=4\n${noHumanize}\n`;
  const hint = 'hint: the emulator installs packages only with --install (gantry deploy --install)';
  const found = explainLog(log, { source: 'build', status: 'init_failure', reason: `${noHumanize}\n${hint}` });
  expect(found).toMatchObject({
    title: expect.stringMatching(/^the app lists humanize,/),
    fix: 'gantry deploy --install',
    next: ['deploy', '--install'],
  });
  const ofDev = hint.replace('deploy', 'dev');
  expect(explainLog(log, { source: 'build', status: 'init_failure', reason: `${noHumanize}\n${ofDev}` })).toMatchObject(
    {
      fix: 'gantry dev --install',
      next: ['dev', '--install'],
    },
  );
});

const noHumanize = "ModuleNotFoundError: No module named 'humanize'";

test.each([
  ['[cerebrium.dependencies.pip]\nsentence-transformers = "latest"\n', true],
  ['[cerebrium.dependencies.paths]\npip = "requirements.txt"\n', true],
  ['', false],
])('a module that may come with the packages of the app is not said to be missing: %s', async (section, lists) => {
  const config = `[cerebrium.deployment]\nname = "web"\n${section}`;
  const local = ['requirements.txt'];
  const facts = await factsOf({ name: 'x', source: 'build', made: 'documented', cause: 'unknown', config, local });
  const reason = "ModuleNotFoundError: No module named 'torch'";
  const hint = 'hint: the emulator installs packages only with --install (gantry deploy --install)';
  const found = explainLog(`${reason}\n`, { ...facts, status: 'init_failure', reason: `${reason}\n${hint}` });
  expect(found?.title).toMatch(
    lists
      ? /^the app lists packages, which torch may come with, but this emulator installs no packages/
      : /is not installed$/,
  );
});

test.each([
  ['GET /ready on port 8097 did not succeed (HTTP 503)', 'both', 'readycheck'],
  ['GET /health on port 8097 did not succeed (HTTP 503)', 'both', 'healthcheck'],
  ['GET /health on port 8097 did not succeed (no answer)', 'health', 'healthcheck'],
  ['INFO: 10.0.0.1:1 - "GET /ready HTTP/1.1" 503 Service Unavailable', 'both', 'readycheck'],
  ['Readiness probe failed: HTTP probe failed with statuscode: 503', 'both', 'readycheck'],
  ['Readiness probe failed: HTTP probe failed with statuscode: 503', 'health', 'healthcheck'],
  ['Startup probe failed: HTTP probe failed with statuscode: 503', 'both', 'healthcheck'],
])('a failed check names its own setting: %s (%s)', async (text, which, setting) => {
  const ready = which === 'both' ? 'readycheck_endpoint = "/ready"\n' : '';
  const config = `[cerebrium.deployment]\nname = "web"\n\n[cerebrium.runtime.custom]\nentrypoint = ["python3", "server.py"]\nport = 8097\nhealthcheck_endpoint = "/health"\n${ready}`;
  const facts = await factsOf({
    name: 'check',
    source: 'build',
    made: 'produced',
    cause: 'health-check-failed',
    config,
  });
  const found = explainLog(`${text}\n`, facts);
  expect(found?.setting).toBe(`runtime.custom.${setting}_endpoint`);
  const [status] = /(?<=HTTP )\d+(?=\)$)/.exec(text) ?? [];
  if (status) expect(found?.title).toMatch(new RegExp(`^the check of /\\w+ gets the status ${status}$`));
});

test('the end of a process is said once', () => {
  const end = 'its process ended with exit code 7';
  const facts = { source: 'run', reason: `the app failed: ${end}`, statusCode: 502 } as const;
  const title = 'the process of the app ended, exit code 7';
  expect(explainLog(`error: ${end}\n`, facts)).toMatchObject({ title, fix: expect.stringMatching(/^read what it/) });
  expect(explainLog(`no license\nerror: ${end}\n`, facts)?.title).toBe(`${title}: no license`);
  // A restart is the platform's word, not the app's.
  for (const before of ['SIGTERM', 'exit code 3']) {
    const restart = `error: its process ended with ${before}; restart 1 of the replica now`;
    expect(explainLog(`no license\n${restart}\nerror: ${end}\n`, facts)?.title).toBe(`${title}: no license`);
  }
});

test('a path of --smoke that the server lacks is named', () => {
  expect(explainLog('/nope: the server of web/nope returned 404\n', { source: 'run' })).toMatchObject({
    title: 'the server has no path /nope, which --smoke calls',
    fix: 'correct the path of --smoke, or add it to the server',
  });
});

describe('facts decide before signs', () => {
  const dockerfile =
    '[cerebrium.deployment]\nname = "web"\n[cerebrium.runtime.custom]\nport = 8000\ndockerfile_path = "./Dockerfile"\n';
  const hint = 'hint: the emulator installs packages only with --install (gantry deploy --install)';

  test('an app with a Dockerfile is told neither to list packages nor to start with --install', async () => {
    const facts = await factsOf({
      name: 'x',
      source: 'build',
      made: 'documented',
      cause: 'unknown',
      config: dockerfile,
      local: ['Dockerfile'],
    });
    const reason = "ModuleNotFoundError: No module named 'numpy'";
    const [there, here] = [explainLog(reason, facts), explainLog(reason, { ...facts, reason: `${reason}\n${hint}` })];
    expect(there?.fix).toBe('install numpy in ./Dockerfile: RUN pip install numpy');
    expect(here?.fix).toBe(there?.fix);
    expect(`${there?.fix} ${here?.fix}`).not.toMatch(/--install|cerebrium\.dependencies/);
  });

  test('no instruction of a Dockerfile is named where the engine itself failed', async () => {
    const facts = { name: 'x', source: 'build', made: 'produced', cause: 'container-engine-failed' } as const;
    const log =
      'STEP 3/4: RUN make\nError: runc: runc create failed: unable to start container process: error during container init: error setting rlimits for ready process: operation not permitted\n';
    const found = explainLog(log, await factsOf({ ...facts, config: dockerfile, local: ['Dockerfile'] }));
    expect(found).toMatchObject({ cause: 'container-engine-failed', setting: undefined });
  });

  test.each(
    Object.entries({
      "Step 2/3 : RUN pip install dlib\nerror: command 'gcc' failed: No such file or directory\n": 'the Dockerfile',
      "#7 [2/4] RUN pip install torch==1.13\n#7 1.2 ERROR: Package 'x' requires a different Python: 3.8 not in '>=3.9'\n":
        'base image',
      'STEP 2: RUN make\nmodel.h:1: fatal error: lber.h: No such file or directory\n':
        'RUN apt-get update && apt-get install -y libldap-dev',
    }),
  )('the log of a Dockerfile shows where its packages come from: %s', (log, fix) => {
    const found = explainLog(log);
    expect(found?.fix).toContain(fix);
    expect(found?.fix).not.toMatch(/\[cerebrium|python_version|_commands/);
  });

  test('more memory is advised only where its limit is reached', () => {
    expect(explainLog('web-1 exited with code 137\n')?.fix).toMatch(/only if/);
  });

  test('a killed app that never passed its check has not run out of memory', () => {
    const log = '[api] listening on 127.0.0.1:8080\nHealthcheck failed!\nExit status 137\n';
    expect(explainLog(log)?.cause).toBe('bound-to-localhost');
  });

  test('the short name of an image is a matter of podman here', () => {
    const log = 'Error: creating build container: short-name "python:3.12" did not resolve to an alias\n';
    expect(explainLog(log)?.fix).toContain('docker.io/library/python:3.12');
  });

  test('the last words of a command are said with its failure', () => {
    const log =
      '#7 [2/4] RUN make\n#7 0.5 flux: no such capacitor\n#7 0.6 make: *** [Makefile:9: all] Error 1\n#7 ERROR: process "/bin/sh -c make" did not complete successfully: exit code: 2\n';
    expect(explainLog(log)?.title).toBe('a command of the build failed, exit code 2: make: flux: no such capacitor');
  });
});

test('nothing is named for work that went on after what looks like a failure', () => {
  const logs = readFileSync('fixtures/failures/healthy.txt', 'utf8').split('\n\n');
  expect(logs.length).toBeGreaterThan(15);
  expect(logs.map((log) => explainLog(log)).filter((found) => found !== undefined)).toEqual([]);
});

test('a server that answers has started, whatever failed before', () => {
  const waits = 'FATAL:  the database system is starting up\npsycopg2.OperationalError: connection refused\n';
  const asked = 'INFO:     10.0.0.1:1 - "GET /favicon.ico HTTP/1.1" 404\n';
  const serves = 'INFO:     10.0.0.1:1 - "GET /api HTTP/1.1" 200 OK\n';
  expect(describeUnknown(waits + serves + asked + serves).cause).toBe(null);
  expect(describeUnknown(serves + waits + serves).cause).toBe('unknown');
});

test.each([
  ["ImportError: cannot import name 'cached_download' from 'huggingface_hub'", 'huggingface-hub = "<0.26"'],
  ["ImportError: cannot import name 'url_quote' from 'werkzeug.urls'", 'werkzeug = "<3"'],
  ["AttributeError: module 'PIL.Image' has no attribute 'ANTIALIAS'", 'pillow = "<10"'],
  ["ModuleNotFoundError: No module named 'moviepy.editor'", 'moviepy = "<2"'],
  ["ModuleNotFoundError: No module named 'torchvision.transforms.functional_tensor'", 'torchvision = "<0.17"'],
  ["ImportError: cannot import name 'TypeAliasType' from 'typing_extensions'", 'typing-extensions = ">=4.6"'],
])('names that a package has no longer, or not yet get the bound of its versions: %s', (log, fix) => {
  expect(explainLog(`${log}\n`)?.fix).toContain(fix);
});

test.each(
  Object.entries({
    'requests are answered':
      'E tensorflow/cuda_driver.cc:266] failed call to cuInit: UNKNOWN ERROR (303)\nINFO: 10.0.0.1:1 - "GET /health HTTP/1.1" 200 OK\n',
    'a default is used': 'INFO | HF_HOME not set, using default cache\nloading\n',
    'what failed is replaced':
      'Cannot access gated repo for url https://huggingface.co/a/b\nWARNING Falling back to default tokenizer.\nready soon\n',
  }),
)('nothing is named where %s', (_, log) => {
  expect(explainLog(log)).toBeUndefined();
});

test.each([
  ['src.app:app', 'src', 'entrypoint-not-found'],
  ['src.app:app', 'src.app', 'entrypoint-not-found'],
  ['srcs:app', 'src', 'module-missing'],
  ['src', 'src', 'module-missing'],
])('the module that the entrypoint names is no package: uvicorn %s, %s', async (target, missing, cause) => {
  const config = `[cerebrium.deployment]\nname = "web"\n[cerebrium.runtime.custom]\nport = 8000\nentrypoint = ["uvicorn", "${target}"]\n`;
  const facts = await factsOf({ name: 'x', source: 'build', made: 'documented', cause, config });
  expect(explainLog(`ModuleNotFoundError: No module named '${missing}'\n`, facts)?.cause).toBe(cause);
});

test.each([
  ['1.12.0', 'scipy 1.12.0 has wheels for Python 3.10, 3.11, 3.12 only', 'python_version = "3.12"'],
  ['1.10.0', 'scipy 1.10.0 has wheels for Python 3.10, 3.11 only', 'python_version = "3.11"'],
  ['1.8.0', 'scipy 1.8.0 has wheels for Python 3.10 only', 'python_version = "3.10"'],
])('where a log does not say its Python, the newest that has wheels is advised: %s', (version, title, fix) => {
  const log = `ERROR: Could not find a version that satisfies the requirement scipy==${version} (from versions: 1.14.1, 1.15.0)\n`;
  expect(explainLog(log, { source: 'build' })).toMatchObject({ title, fix });
});

test.each([
  [
    'torch==2.1.0+cu121',
    'pin torch==2.1.0, without +cu121, or list --extra-index-url https://download.pytorch.org/whl/cu121 in a requirements file',
  ],
  ['ours==1.0+one', 'pin ours==1.0, without +one'],
])('%s is on an index of its own', (wanted, fix) => {
  const log = `ERROR: Could not find a version that satisfies the requirement ${wanted} (from versions: 2.0.0)\n`;
  expect(explainLog(log, { source: 'build' })?.fix).toBe(fix);
});

test('where no Python has wheels of a version, those that have some are advised', async () => {
  const config = '[cerebrium.deployment]\nname = "web"\npython_version = "3.12"\n';
  const facts = await factsOf({ name: 'x', source: 'build', made: 'documented', cause: 'unknown', config });
  const log =
    'ERROR: Could not find a version that satisfies the requirement numpy==1.19.0 (from versions: 1.26.4, 2.0.0)\n';
  expect(explainLog(log, facts)).toMatchObject({
    title: 'numpy 1.19.0 has no wheels for Python 3.12',
    fix: expect.stringMatching(/^use numpy 1\.26\.0 to 2\./),
  });
});

/** What FastAPI answers, as a call from here has kept it. */
test.each([
  [422, 'body.text: Field required', /wants: text: Field required$/, /text=text, or text:=json/],
  [422, 'body.n: Input should be a valid integer; query.q: Field required', /wants: n: Input .*; query\.q/, /n:=json/],
  [422, 'body.items.0.name: Field required', /body\.items\.0\.name: Field required$/, /--data @FILE/],
  [422, 'body: Field required', /wants: body: Field required$/, /--data @FILE/],
  [422, 'query.q: Field required', /wants: q: Field required$/, /--path '\/…\?q=value'/],
  [422, 'header.x-token: Field required', /headers .* x-token: Field/, /--header 'x-token: value'/],
  [422, 'path.id: Input should be a valid integer', /path of the call .* id: Input/, /--path/],
  [404, 'Not Found', /no route for the path/, /--path \/openapi\.json/],
  [405, 'Method Not Allowed', /does not take the method/, /--method GET/],
])('the answer %i %s says what to send', (statusCode, reason, title, fix) => {
  expect(explainLog('', { source: 'run', status: 'failed', statusCode, reason })).toMatchObject({
    cause: 'wrong-arguments',
    title: expect.stringMatching(title),
    fix: expect.stringMatching(fix),
  });
});

test('the body of a 422 in a log names its field without quotes', () => {
  const title = (log: string) => explainLog(log, { source: 'run', status: 'failed' })?.title;
  expect(title('{"detail":[{"type":"missing","loc":["body","text"],"msg":"Field required","input":{}}]}')).toMatch(
    /wants: text: Field required$/,
  );
  expect(title("[{'type': 'missing', 'loc': ('body', 'text'), 'msg': 'Field required', 'input': {}}]")).toMatch(
    /wants: text: Field required$/,
  );
});
