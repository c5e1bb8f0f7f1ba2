import { describe, expect, test } from 'vitest';
import { tar } from '../support/tar.ts';
import { platform } from './support/platform.ts';
import { children, python } from './support/running.ts';

/** An emulator and functions to run files on it. */
async function runner(options: Parameters<typeof platform>[0] = {}) {
  const speaking = await platform({ now: Date.now, real: true, ...options });
  const { emulator, ask } = speaking;
  const app = `${emulator.project}-job`;
  const v3 = (path: string, body?: string | FormData, query = '') =>
    fetch(`${emulator.url}/v3/projects/${emulator.project}/apps/${app}/${path}${query}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${emulator.token}`,
        ...(typeof body === 'string' && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body }),
    });
  const create = () => v3('create-run-app', undefined, '?region=');
  const send = async (archive: Buffer, query: Record<string, string>, data = '{}') => {
    const parts = new FormData();
    parts.append('projectId', emulator.project);
    parts.append('data', new File([data], 'data.json', { type: 'application/json' }));
    parts.append('file', new File([archive], 'run.tar', { type: 'application/x-tar' }));
    const answer = await v3('run', parts, `?${new URLSearchParams({ appName: 'job', ...query })}`);
    return { status: answer.status, json: (await answer.json()) as { runId: string; message: string } };
  };
  const state = async (run: string) => (await ask('GET', `/apps/${app}/runs/${run}`)).json.item;
  return {
    ...speaking,
    app,
    v3,
    create,
    send,
    state,
    /** Runs a program's text until it ends. */
    async run(text: string, query: Record<string, string> = {}, data?: string) {
      await create();
      const { json } = await send(tar('job.py', text), { filename: 'job.py', ...query }, data);
      await expect.poll(async () => (await state(json.runId)).status, { interval: 20 }).toMatch(/success|failed/);
      const { logs = [] } = (await ask('GET', `/apps/${app}/logs?direction=forward&runId=${json.runId}`)).json ?? {};
      const printed = logs.map(({ logLine }: { logLine: string }) => logLine) as string[];
      return { ...(await state(json.runId)), printed };
    },
  };
}

describe('the app of a run', () => {
  test('is created if it does not exist, and is not listed by default', async () => {
    const { create, ask } = await runner();
    expect(await (await create()).json()).toEqual({ message: 'App job created' });
    expect(await (await create()).json()).toEqual({ message: 'App job already exists' });
    expect((await ask('GET', '/apps')).json).toEqual([]);
    expect((await ask('GET', '/apps?includeEphemeral=true')).json).toMatchObject([{ name: 'job', ephemeral: true }]);
  });

  test.each([
    [0, ['ready']],
    [100, ['building', 'ready']],
  ])('at pace %i has its image after %j', async (pace, statuses) => {
    const { v3, create } = await runner({ pace });
    const dependencies = { pip: { requests: 'latest' } };
    const ask = async (body: object) =>
      v3('base-image', JSON.stringify({ preBuildCommands: [], shellCommands: [], ...body }));
    expect((await ask({ dependencies })).status).toBe(403);
    await create();
    const answers = [];
    for (const _ of statuses)
      answers.push((await (await ask({ dependencies })).json()) as { status: string; digest: string });
    expect(answers.map(({ status }) => status)).toEqual(statuses);
    expect(answers.at(-1)?.digest).toMatch(/^sha256:/);
    const large = { pip: { ['x'.repeat(400_000)]: 'latest' } };
    expect((await ask({ dependencies: large })).status).toBe(400);
  });
});

describe('a run', () => {
  test.each([
    ['a file that is not in it', tar('other.py', ''), {}, '{}', 'job.py is not in the archive'],
    ['a file that is not a tar', Buffer.alloc(2048, 1), {}, '{}', 'Invalid tar header'],
    ['a tar over 4 MiB', tar('job.py', 'x'.repeat(4 * 1024 * 1024)), {}, '{}', 'file is larger than 4194304 bytes'],
    ['data over 2 MiB', tar('job.py', ''), {}, `"${'x'.repeat(2 * 1024 * 1024)}"`, 'data is larger than 2097152 bytes'],
    ['an unknown image', tar('job.py', ''), { imageDigest: 'sha256:0' }, '{}', 'image sha256:0 not found'],
  ])('refuses %s', async (_, archive, query, data, message) => {
    const { create, send, emulator } = await runner();
    await create();
    await expect(send(archive, { filename: 'job.py', ...query }, data)).toAnswer(400, message);
    expect(emulator.store.runs.size).toBe(0);
  });

  test('needs an existing app', async () => {
    const { send } = await runner();
    expect((await send(tar('job.py', ''), { filename: 'job.py' })).status).toBe(404);
  });

  test('is simulated without Python, and logs that', async () => {
    const { run } = await runner({ real: false });
    expect(await run('print(1)')).toMatchObject({
      status: 'success',
      printed: ['this run is simulated: python3 not found'],
    });
  });

  test('is billed for its own hardware, whatever its app has', async () => {
    const { run, emulator } = await runner({ real: false });
    await run('', { computeType: 'HOPPER_H100', gpuCount: '2', memoryGb: '8.0' });
    await run('', { computeType: 'CPU' });
    expect([...emulator.store.runs.values()].map(({ billed }) => billed)).toMatchObject([
      { compute: ['HOPPER_H100'], gpuCount: 2, memory: 8 },
      { compute: ['CPU'], gpuCount: 0 },
    ]);
  });
});

describe.skipIf(!python)('a file that is run (needs python3)', () => {
  test('prints to the log of its app, and succeeds', async () => {
    const { run } = await runner();
    const text =
      'import sys\nprint("hello")\nprint("oh", file=sys.stderr)\nif __name__ == "__main__":\n    print(__file__)\n';
    expect(await run(text, { functionName: 'main', cpu: '2.0' })).toMatchObject({
      status: 'success',
      statusCode: 200,
      exitCode: 0,
      functionName: 'main',
      coldstartTimeMs: 0,
      printed: expect.arrayContaining(['hello', 'oh', 'job.py']),
    });
  });

  test.each([
    ['import sys\nsys.exit(7)\n', 7, []],
    ['raise ValueError("no")\n', 1, ['Traceback (most recent call last):', '  File "job.py", line 1, in <module>']],
    ['def broken(:\n', 1, ['SyntaxError: invalid syntax']],
    ['import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n', 137, []],
  ])('that fails has status failed and its exit code: %j', async (text, exitCode, printed) => {
    const { run } = await runner();
    const ended = await run(text);
    expect([ended.status, ended.exitCode]).toEqual(['failed', exitCode]);
    expect(ended.printed).toEqual(expect.arrayContaining(printed));
    expect(ended.printed.join('\n')).not.toMatch(/once\.py|runpy/);
  });

  test('gets its data as environment variable and arguments, however large', async () => {
    const { run } = await runner();
    const text =
      'import json, os, sys\nprint(sys.argv[:3])\nprint(sys.argv[3] == os.environ["CEREBRIUM_INPUT_DATA"], len(sys.argv[3]))\n';
    const data = JSON.stringify({ text: 'x'.repeat(1_000_000) });
    expect((await run(text, { functionName: 'main' }, data)).printed).toEqual([
      "['job.py', 'main', '--data']",
      `True ${data.length}`,
    ]);
    expect((await run('import sys\nprint(sys.argv)\n')).printed).toEqual(["['job.py']"]);
  });

  test('can be canceled with its child processes', async () => {
    const { create, send, state, ask, app } = await runner();
    await create();
    const text = 'import subprocess, sys\nsubprocess.run([sys.executable, "-c", "import time; time.sleep(60)"])\n';
    const { json } = await send(tar('job.py', text), { filename: 'job.py' });
    expect((await state(json.runId)).status).toBe('processing');
    expect(children()).toHaveLength(1);
    expect((await ask('DELETE', `/apps/${app}/runs/${json.runId}`)).status).toBe(200);
    expect(await state(json.runId)).toMatchObject({ status: 'cancelled', statusCode: 0 });
    await expect.poll(children).toEqual([]);
  });

  test('is stopped after response_grace_period, and with the emulator', async () => {
    const { create, send, state, emulator, app } = await runner();
    await create();
    const settings = emulator.store.apps.get(app)?.settings as { responseGracePeriodSeconds: number };
    settings.responseGracePeriodSeconds = 0.2;
    const text = 'import time\ntime.sleep(60)\n';
    const { json } = await send(tar('job.py', text), { filename: 'job.py' });
    await expect.poll(async () => (await state(json.runId)).status).toBe('failed');
    settings.responseGracePeriodSeconds = 60;
    await send(tar('job.py', text), { filename: 'job.py' });
    expect(children()).toHaveLength(1);
    await emulator.close();
    expect(children()).toEqual([]);
  });
});
