import { readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { beforeAll, describe, expect, test } from 'vitest';
import { isSuitable } from '../../src/cli/mcp/offered.ts';
import { readToolCall } from '../../src/cli/mcp/tools.ts';
import { reference } from '../../src/cli/reference.ts';
import { version } from '../../src/kernel/version.ts';
import { appServer } from '../support/app-server.ts';
import { emulatorForAll, gantry, jsonLines, keys, newFolder, type Setting, smallApp } from '../support/index.ts';
import { connectMcp, type McpSession } from '../support/mcp.ts';

let app: string;

const emulator = emulatorForAll({ real: false, seed: 1 });

beforeAll(async () => {
  app = newFolder(smallApp());
  // Loads every command, once.
  await reference();
});

describe('gantry mcp', () => {
  test('has two tools, in at most 1,000 tokens with the instructions', async () => {
    await using session = await open(['--allow-destroy']);
    const { tools } = await session.client.listTools();
    expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([
      ['find', true],
      ['call', false],
    ]);
    const instructions = session.client.getInstructions() ?? '';
    expect((JSON.stringify({ tools }).length + instructions.length) / 4).toBeLessThan(1_000);
    const hints = (await listTools([])).map(({ annotations }) => annotations?.readOnlyHint);
    expect(hints).toEqual([true, true]);
    const [, changing] = await listTools(['--allow-changes']);
    expect(changing?.annotations).toEqual({ readOnlyHint: false, destructiveHint: false });
  });

  test('runs every command that returns, but those about gantry itself', async () => {
    const { commands } = await reference();
    const missing = commands.filter((command) => !isSuitable(command)).map(({ command }) => command);
    expect(missing.sort()).toEqual([
      'apps prune',
      'dev',
      'emulator env',
      'emulator exec',
      'emulator list',
      'emulator start',
      'emulator stop',
      'login',
      'mcp serve',
      'metrics serve',
      'open',
      'webhooks listen',
    ]);
  });

  test('returns the JSON of a command, as text and as data', async () => {
    await using session = await open();
    expect(session.client.getServerVersion()).toMatchObject({ name: 'gantry', version });
    const result = await run(session, 'apps get transcriber');
    const direct = await gantry(['apps', 'get', 'transcriber', '--json'], { emulator });
    expect(JSON.parse(textOf(result))).toEqual(direct.json());
    expect(result.structuredContent).toEqual(direct.json());
    const listed = await run(session, 'projects list');
    const projects = await gantry(['projects', 'list', '--json'], { emulator });
    expect(JSON.parse(textOf(listed))).toEqual(projects.json());
  });

  test('keeps the digits of numbers, as text and as data', async () => {
    const { env } = await appServer((response, { body }) => response.end(body));
    await using session = await open(['--allow-changes'], { env });
    const digits = '"id":1234567890123456789,"share":1.0,"zero":-0';
    const args = ['id:=1234567890123456789', 'share:=1.0', 'zero:=-0'];
    const result = await run(session, `invoke web ${args.join(' ')}`);
    expect(textOf(result)).toContain(digits);
    const answer = session.written().split('\n').at(-2) ?? '';
    expect(answer.split('"structuredContent"')[1]).toContain(digits);
  });

  test('deploys, and reports progress before the result', async () => {
    await using session = await open(['--allow-changes']);
    const seen: string[] = [];
    const result = await run(session, 'deploy', { onprogress: ({ message = '' }) => seen.push(message) });
    expect(result.isError).toBe(false);
    expect(JSON.parse(textOf(result))).toMatchObject({ app: 'web', status: 'succeeded' });
    expect(seen.join('\n')).toContain('Built in');
  });

  test('reports a failed build as an error that says what to do', async () => {
    await using session = await open(['--allow-changes']);
    emulator.fail('build', 'build_failure');
    const result = await run(session, 'deploy');
    expect(result.isError).toBe(true);
    expect(JSON.parse(textOf(result))).toMatchObject({
      error: { code: 'build-failed', exitCode: 11, next: ['gantry', 'explain', 'web', expect.any(String)] },
    });
    expect(result.structuredContent).toEqual(JSON.parse(textOf(result)));
  });

  test('refuses what it was not allowed to do, and does nothing', async () => {
    await using session = await open();
    const result = await run(session, 'deploy');
    expect(JSON.parse(textOf(result)).error).toMatchObject({
      code: 'denied',
      why: 'this server was started without --allow-changes; --dry-run is allowed',
      fix: 'ask the user to start gantry mcp --allow-changes',
    });
    expect(result.isError).toBe(true);
    await using other = await open(['-p', 'p-12345678']);
    const { error } = JSON.parse(textOf(await run(other, 'deploy')));
    expect(error.fix).toBe('ask the user to start gantry mcp --allow-changes -p p-12345678');
    const typed = ['--project', 'p-12345678', '--region', 'us-east-1', '-C', app];
    await using third = await open([...typed, '--allow-changes']);
    const refused = await run(third, 'apps delete transcriber --confirm transcriber');
    expect(JSON.parse(textOf(refused)).error.fix).toBe(
      `ask the user to start gantry mcp --allow-destroy ${typed.join(' ')}`,
    );
    expect((await gantry(['apps', 'get', 'transcriber'], { emulator })).code).toBe(0);
  });

  test('--local of the server is that of each call', async () => {
    await using session = await open(['--local']);
    const called = await run(session, 'apps list');
    expect(JSON.parse(textOf(called)).error).toMatchObject({ message: 'this folder has no emulator yet' });
    const refused = await run(session, 'deploy');
    expect(JSON.parse(textOf(refused)).error.fix).toBe('ask the user to start gantry mcp --allow-changes --local');
  });

  test('says of no command to run it next that a tool call cannot be', async () => {
    await using session = await open(['--allow-changes']);
    const made = await run(session, 'init next --name next');
    expect(JSON.parse(textOf(made)).next.map(({ argv }: { argv: string[] }) => argv[1])).toEqual(['deploy']);
    await rm(join(app, 'next'), { recursive: true });
  });

  test('shows what a change would be, although it only reads', async () => {
    await using session = await open();
    const plan = await run(session, 'deploy --dry-run');
    expect(JSON.parse(textOf(plan))).toMatchObject({ app: 'web', dryRun: true });
    const deleted = await run(session, 'apps delete transcriber --dry-run');
    expect(JSON.parse(textOf(deleted))).toMatchObject({ app: 'transcriber', dryRun: true });
    const local = await run(session, 'deploy --dry-run --project local');
    expect(JSON.parse(textOf(local)).error).toMatchObject({ message: 'this folder has no emulator yet' });
  });

  test('deletes only with the name', async () => {
    await using session = await open(['--allow-destroy']);
    const unnamed = await run(session, 'apps delete nightly-report');
    expect(JSON.parse(textOf(unnamed)).error).toMatchObject({ code: 'input-needed', exitCode: 9 });
    const wrong = await run(session, 'apps delete nightly-report --confirm other');
    expect(JSON.parse(textOf(wrong)).error.code).toBe('usage');
    expect((await gantry(['apps', 'get', 'nightly-report'], { emulator })).code).toBe(0);
    const named = await run(session, 'apps delete nightly-report --confirm nightly-report');
    expect(JSON.parse(textOf(named))).toMatchObject({ app: 'nightly-report', changed: true });
  });

  test('ends a command that the client cancels, as Ctrl-C does', async () => {
    await using session = await open(['--allow-changes']);
    emulator.fail('build', 'slow');
    const controller = new AbortController();
    const started = (message: string) => message.includes('Building') && controller.abort();
    const onprogress = ({ message = '' }) => started(message);
    const pending = run(session, 'deploy', { signal: controller.signal, onprogress });
    await expect(pending).rejects.toThrow();
    await expect.poll(() => [...emulator.store.builds.values()].at(-1)?.cancelledAt).toBeDefined();
    expect(JSON.parse(textOf(await run(session, 'whoami')))).toHaveProperty('project');
  });

  test('answers others while a jq program runs for ever, until the client cancels it', async () => {
    await using session = await open();
    const controller = new AbortController();
    const endless = call(
      session,
      'call',
      { argv: ['apps', 'list', '--jq', 'def f: f; f'] },
      { signal: controller.signal },
    );
    endless.catch(() => {});
    expect((await run(session, 'apps get transcriber')).isError).toBe(false);
    controller.abort();
    await expect(endless).rejects.toThrow();
  });

  test('cuts a long document into parts of its text', async () => {
    await using session = await open();
    const files = { 'main.py': 'x = 1\n', 'cerebrium.toml': '[cerebrium.deployment]\nname = "web"\n' };
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`folder/file-number-${at}.txt`, '']));
    const app = newFolder({ ...files, ...many });
    let text = '';
    for (let next: [string, number] | undefined = ['', 0]; next; ) {
      const [result, from]: [string, number] = next;
      const page = await (from === 0
        ? run(session, `deploy --dry-run --files --cwd ${app}`)
        : call(session, 'call', { result, from }));
      expect(textOf(page).length).toBeLessThan(17_000);
      text += textOf(page);
      const rest = /\{"result": "(\w+)", "from": (\d+)\}/.exec(noteOf(page));
      next = rest ? [rest[1] ?? '', Number(rest[2])] : undefined;
    }
    const found = JSON.parse(text);
    expect(found).toMatchObject({ app: 'web', dryRun: true });
    expect(found.selection).toHaveLength(302);
  });

  test('cuts long results, and returns the rest without running the command again', async () => {
    await using session = await open();
    const result = await run(session, 'runs list transcriber --all');
    const first: unknown[] = JSON.parse(textOf(result));
    const [, to = '', total = '', id = ''] =
      /entries 1 to (\d+) of (\d+); the rest: tool call with \{"result": "(\w+)"/.exec(noteOf(result)) ?? [];
    expect(first).toHaveLength(Number(to));
    expect(textOf(result).length).toBeLessThan(17_000);
    const before = emulator.calls.length;
    let entries = first;
    while (entries.length < Number(total)) {
      const page = await call(session, 'call', { result: id, from: entries.length });
      entries = [...entries, ...JSON.parse(textOf(page))];
    }
    expect(emulator.calls.length).toBe(before);
    expect(new Set(entries.map((run) => (run as { id: string }).id)).size).toBe(Number(total));
  });

  test.each([
    ['call', { argv: ['apps', 'get', '--cwd', '/'] }, 'no app in this folder'],
    ['call', { argv: ['apps', 'got'] }, 'unknown command "got"'],
    ['call', { result: 'r1', from: 'two' }, 'invalid property "from"'],
    ['call', { argv: ['apps', 'get', '--', '--quiet'] }, 'app --quiet not found in p-12345678'],
    ['call', { argv: ['apps', 'get', 'x', '--color', 'never'] }, 'apps get has no flag "--color" here'],
    ['call', { argv: ['apps', 'list', '--limit', 'many'] }, 'invalid --limit'],
    ['call', { argv: ['apps', 'list', '--limit', { a: 1 }] }, 'call requires "argv"'],
    ['call', { argv: ['apps', 'list', '--jq', '.['] }, 'invalid --jq expression'],
    ['find', { search: 'logs' }, 'find takes "query" only, not "search"'],
    ['nothing', {}, 'unknown tool "nothing"'],
    ['call', { result: 'r9', from: 1 }, 'result "r9" not found'],
  ])('answers a wrong call of %s with %j by an error', async (tool, input, message) => {
    await using session = await open();
    const result = await call(session, tool, input);
    expect(result.isError).toBe(true);
    expect(JSON.parse(textOf(result)).error.message).toContain(message);
  });

  test('answers requests of older clients, also those it gets just before the end of stdin', async () => {
    const request = (id: number, method: string, params: object) =>
      `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
    const clientInfo = { name: 'old', version: '1' };
    const stdin = [
      request(1, 'initialize', { protocolVersion: '2024-11-05', capabilities: {}, clientInfo }),
      `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`,
      request(2, 'tools/call', { name: 'call', arguments: { argv: ['apps', 'list', '--limit', '1'] } }),
    ].join('');
    const { code, stdout, stderr } = await gantry(['mcp'], { emulator, stdin });
    expect([code, stderr]).toEqual([0, '']);
    const answers = jsonLines(stdout);
    expect(answers.map(({ id }) => id)).toEqual([1, 2]);
    expect(answers[0].result.protocolVersion).toBe('2024-11-05');
    expect(answers[1].result.isError).toBe(false);
  });

  test('ends running commands at Ctrl-C, and cancels what they started', async () => {
    emulator.fail('build', 'slow');
    const stop = new AbortController();
    const session = await connectMcp(['--allow-changes'], { emulator, cwd: app, stop: stop.signal });
    await new Promise<void>((building) => {
      const onprogress = ({ message = '' }) => void (message.includes('Building') && building());
      run(session, 'deploy', { onprogress }).catch(() => {});
    });
    stop.abort();
    expect((await session.end()).code).toBe(130);
    expect([...emulator.store.builds.values()].at(-1)?.cancelledAt).toBeDefined();
    await session.client.close();
  });

  test('says on a terminal that it waits for a client', async () => {
    const ended = await gantry(['mcp'], { emulator, stdin: keys(), stop: /waiting for an MCP client/ });
    expect([ended.code, ended.stdout]).toEqual([130, '']);
  });

  test('finds commands by words, a line each, and describes one in full', async () => {
    await using session = await open(['--allow-changes']);
    const found = textOf(await call(session, 'find', { query: 'change replicas' }));
    expect(found).toMatch(/^apps scale.*: .+ \(changes\)\n/);
    expect(JSON.parse(textOf(await call(session, 'find', { query: 'apps get' })))).toMatchObject({ effect: 'reads' });
    // The longest of all is one answer.
    expect(JSON.parse(textOf(await call(session, 'find', { query: 'deploy' })))).toHaveProperty('output.warnings');
    const reading = await open();
    const refused = textOf(await call(reading, 'find', { query: 'change replicas' }));
    expect(refused).toMatch(/^apps scale.*: .+ \(changes, not allowed here\)\n/);
    await reading.end();
    const shell = textOf(await call(session, 'find', { query: 'clean up previews' }));
    expect(shell).toMatch(/^apps prune.*: .+ \(destroys, not over MCP: run it in a shell\)$/m);
    const nothing = await call(session, 'find', { query: 'zebra' });
    expect(JSON.parse(textOf(nothing)).error).toMatchObject({ message: 'no command found for "zebra"' });
  });

  test('starts no emulator and writes no history for what only reads', async () => {
    const folder = newFolder();
    await using session = await open([], { emulator, env: { GANTRY_CONFIG_DIR: folder } });
    const local = await call(session, 'call', { argv: ['apps', 'list', '-p', 'local'] });
    expect(JSON.parse(textOf(local)).error).toMatchObject({ message: 'this folder has no emulator yet' });
    const status = await call(session, 'call', { argv: ['status', 'transcriber'] });
    expect(status.isError ?? false).toBe(false);
    expect(readdirSync(folder, { recursive: true })).toEqual([]);
  });

  test('runs command lines, short ones of groups too', async () => {
    await using session = await open();
    const run = async (line: string) => textOf(await call(session, 'call', { argv: line.split(' ') }));
    expect(JSON.parse(await run('gantry apps get --json -p p-12345678 -- transcriber'))).toMatchObject({
      name: 'transcriber',
    });
    expect((await run('apps list --jq .[].name')).split('\n')).toContain('transcriber');
    expect(JSON.parse(await run('runs list transcriber --limit=2'))).toHaveLength(2);
    for (const group of ['service-accounts', 'users', 'api-keys'])
      expect(JSON.parse(await run(`${group} -p p-12345678`)), group).toEqual(JSON.parse(await run(`${group} list`)));
    expect((await run('volumes')).split('\n').map((line) => line.split(/[ :]/).slice(0, 2).join(' '))).toEqual([
      ...['volumes list', 'volumes usage', 'volumes verify', 'volumes resize'],
    ]);
    const long = await call(session, 'call', { argv: 'runs list transcriber --all'.split(' ') });
    const [, rest = ''] = /the rest: tool call with (\{.+?\})/.exec(noteOf(long)) ?? [];
    expect(JSON.parse(textOf(await call(session, 'call', JSON.parse(rest)))).length).toBeGreaterThan(0);
  });

  test('understands what the command line does: a line in one text, other spellings, help', async () => {
    await using session = await open();
    const asked = (argv: unknown) => call(session, 'call', { argv });
    const named = textOf(await asked(['apps', 'list', '--jq', '.[].name']));
    expect(textOf(await asked('gantry apps list --jq .[].name'))).toBe(named);
    expect(textOf(await asked(['apps list --jq ".[].name"']))).toBe(named);
    expect(textOf(await asked(['app', 'list', '--jq', '.[].name']))).toBe(named);
    const failed = JSON.parse(textOf(await asked('runs list transcriber --failed')));
    expect(new Set(failed.map(({ status }: { status: string }) => status))).toEqual(new Set(['failure']));
    expect(textOf(await asked(['help', 'apps', 'get']))).toBe(
      textOf(await call(session, 'find', { query: 'apps get' })),
    );
    expect(textOf(await asked(['help'])).split('\n').length).toBeGreaterThan(50);
    const elsewhere = JSON.parse(textOf(await asked(['apps', 'logs', 'transcriber']))).error;
    expect(elsewhere).toMatchObject({ fix: 'gantry logs transcriber', next: ['gantry', 'logs', 'transcriber'] });
    expect(JSON.parse(textOf(await asked(['secrets', 'add', 'A=b']))).error.code).toBe('usage');
    for (const line of ['version', '-V', 'gantry --version']) expect(textOf(await asked(line)), line).toBe(version);
    expect(JSON.parse(textOf(await asked([]))).error.code).toBe('usage');
  });

  test('reads every topic of help, and the help of a command with what it is called with', async () => {
    await using session = await open();
    const asked = async (line: string) => textOf(await call(session, 'call', { argv: line.split(' ') }));
    const { json } = await gantry(['help', 'topics', '--json']);
    for (const topic of (json() as { topic: string }[]).map(({ topic }) => topic)) {
      const direct = await gantry(['help', topic, '--json']);
      expect(JSON.parse(await asked(`help ${topic}`)), topic).toEqual(direct.json());
    }
    const inFull = async (query: string) => textOf(await call(session, 'find', { query }));
    for (const line of ['help deploy', 'deploy --help', 'deploy -h', 'help deploy --all', 'deploy web --help']) {
      expect(await asked(line), line).toBe(await inFull('deploy'));
    }
    expect(await asked('apps get transcriber --help')).toBe(await inFull('apps get'));
    for (const line of ['help apps', 'apps --help']) expect(await asked(line), line).toBe(await inFull('apps'));
    expect(await asked('--help')).toBe(await asked('help'));
    expect(JSON.parse(await asked('help mcp serve'))).toMatchObject({ command: 'mcp serve' });
    expect(JSON.parse(await asked('help scale replicas')).error).toMatchObject({
      code: 'usage',
      fix: expect.stringContaining('gantry help apps scale'),
    });
  });

  test.each([
    ['apps get transcribr', ['apps', 'get', 'transcriber']],
    ['apps get transcribr -p p-12345678', ['apps', 'get', 'transcriber', '-p', 'p-12345678']],
    ['apps list --limit 0', ['apps', 'list', '--help']],
  ])('what the error of %s says to do next is what call takes', async (line, next) => {
    const words = ['--allow-destroy', '--project', 'p-12345678'];
    await using session = await open(words);
    const failed = await call(session, 'call', { argv: line.split(' ') });
    const { error } = JSON.parse(textOf(failed));
    expect([failed.isError, error.next.filter((word: string) => word !== '--')]).toEqual([
      true,
      ['gantry', ...next].filter((word) => word !== '--'),
    ]);
    expect((await call(session, 'call', { argv: error.next })).isError ?? false).toBe(false);
  });

  test('takes what stands beside the line for flags of it', async () => {
    await using session = await open();
    const argv = ['runs', 'list', 'transcriber'];
    const listed = await call(session, 'call', { argv, limit: 3, status: 'failed' });
    expect(textOf(listed)).toBe(textOf(await run(session, `${argv.join(' ')} --limit 3 --status failed`)));
    const { error } = JSON.parse(textOf(await call(session, 'call', { argv, limt: 3 })));
    expect(error.message).toContain('unknown flag "--limt=3"');
  });

  test.each([
    ['secrets set NEW', '--from-file FILE'],
    ['secrets set NEW=value', 'gantry secrets set NEW --from-file FILE'],
    ['secrets set NEW=value --app web', 'gantry secrets set NEW --app web --from-file FILE'],
    ['secrets set NEW --from-env', undefined],
  ])('says where a tool call has secrets from: %s', async (line, fix) => {
    await using session = await open(['--allow-destroy']);
    const { error } = JSON.parse(textOf(await call(session, 'call', { argv: line.split(' ') })));
    expect(JSON.stringify(error)).not.toMatch(/stdin|--from-file -|"-"/);
    // What lacks the file cannot be called.
    const next = ['gantry', 'secrets', 'set', '--help'];
    if (fix) expect(error).toMatchObject({ fix: expect.stringContaining(fix), next });
    else
      expect(error).toMatchObject({
        why: expect.stringContaining('server'),
        fix: expect.stringContaining('--from-file FILE'),
      });
  });

  test.each([
    ['apps scale transcriber --min-replicas 1', 'denied', 'ask the user to start gantry mcp --allow-changes'],
    ['apps delete transcriber --confirm transcriber', 'denied', 'ask the user to start gantry mcp --allow-destroy'],
    ['deploy --dry-run --save-plan notes.json', 'denied', 'ask the user to start gantry mcp --allow-changes'],
    ['deploy --dry-run --output notes.txt', 'denied', 'ask the user to start gantry mcp --allow-changes'],
    ['runs chart transcriber --html notes.txt', 'usage', undefined],
    ['logs transcriber -f', 'usage', undefined],
    ['apps prune --dry-run', 'usage', 'run it in a shell: gantry apps prune --dry-run'],
    ['emulator stop', 'usage', 'run it in a shell: gantry emulator stop'],
    ['logout', 'usage', 'call find for the commands'],
    ['apps list extra', 'usage', undefined],
    ['apps list --limit', 'usage', undefined],
    ['apps get transcriber --profile other', 'usage', undefined],
  ])('only reads, unless the user allows more: %s', async (line, code, fix) => {
    await using session = await open();
    const before = emulator.calls.length;
    const result = await call(session, 'call', { argv: line.split(' ') });
    expect([result.isError, JSON.parse(textOf(result)).error]).toEqual([
      true,
      expect.objectContaining({ code, ...(fix && { fix }) }),
    ]);
    expect(emulator.calls.length).toBe(before);
  });
});

async function open(words: string[] = [], setting: Setting = { emulator }): Promise<McpSession & AsyncDisposable> {
  const session = await connectMcp(words, { cwd: app, ...setting });
  return { ...session, [Symbol.asyncDispose]: async () => void (await session.end()) };
}

async function listTools(words: string[]) {
  await using session = await open(words);
  return (await session.client.listTools()).tools;
}

type CallOptions = Parameters<McpSession['client']['callTool']>[1];

async function call(
  { client }: McpSession,
  name: string,
  input: Record<string, unknown>,
  options?: CallOptions,
): Promise<CallToolResult> {
  const result = (await client.callTool({ name, arguments: input }, options)) as CallToolResult;
  const { error } = Object(result.structuredContent) as { error?: { next?: string[] } };
  if (error?.next) await expectCallable(error.next);
  return result;
}

function run(session: McpSession, line: string, options?: CallOptions): Promise<CallToolResult> {
  return call(session, 'call', { argv: line.split(' ') }, options);
}

/** What an error says to do next is a line that `call` takes. */
async function expectCallable(argv: string[]): Promise<void> {
  const { commands } = await reference();
  await readToolCall('call', { argv }, commands, {
    allowed: ['reads', 'changes', 'destroys'],
    inPlace: (line) => line,
  });
}

function textOf({ content }: CallToolResult): string {
  const [first] = content;
  return first?.type === 'text' ? first.text : '';
}

function noteOf({ content }: CallToolResult): string {
  const [, second] = content;
  return second?.type === 'text' ? second.text : '';
}
