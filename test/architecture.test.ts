import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';

/** Who may import whom. A room not listed may be imported by nobody but itself; `errors`, `command-line`, `json-text`, `own-files`, `packed-list`, `distinct-paths`, `wall-clock`, `clock`: everyone's. */
const mayImport: Record<string, string[]> = {
  main: ['program', 'completion', 'output', 'config', 'version', 'process'],
  process: ['config', 'output'],
  'code-cache': ['config', 'version'],
  program: [
    'commands',
    'operations',
    'command',
    'result-schema',
    'context',
    'process',
    'api',
    'config',
    'disk',
    'project',
    'output',
    'version',
  ],
  reference: ['program', 'commands', 'command', 'version'],
  completion: ['reference', 'program', 'context', 'process', 'config', 'disk', 'project', 'contract', 'output'],
  command: ['context', 'output', 'result-schema'],
  'result-schema': [],
  context: ['process', 'api', 'config', 'output', 'version'],
  flags: ['command', 'context', 'result-schema', 'disk', 'operations', 'views', 'contract', 'output', 'emulator'],
  version: [],
  commands: [
    'command',
    'result-schema',
    'context',
    'flags',
    'reference',
    'mcp',
    'deploys',
    'operations',
    'views',
    'project',
    'contract',
    'output',
    'config',
    'disk',
    'emulator',
  ],
  deploys: ['context', 'api', 'contract', 'config', 'operations', 'project', 'output'],
  operations: [
    ...['deploys', 'context', 'api', 'transfer', 'disk', 'receiver', 'project', 'contract', 'config', 'output'],
    ...['version', 'scaling'],
  ],
  receiver: [],
  mcp: ['main', 'reference', 'command', 'context', 'process', 'config', 'disk', 'output', 'version'],
  transfer: ['api', 'config', 'contract', 'disk'],
  api: ['contract', 'config'],
  config: ['contract', 'disk'],
  disk: [],
  views: ['context', 'result-schema', 'operations', 'contract', 'output'],
  output: ['config'],
  interpreters: [],
  project: ['disk', 'interpreters', 'version'],
  contract: [],
  testing: [],
  emulator: ['contract', 'disk', 'interpreters', 'output', 'scaling'],
  scaling: [],
};

/** Narrower than the table above: these rooms may be entered, but only through the doors named here. */
const doors: Record<string, RegExp> = {
  'program>operations': /operations\/(apps|emulator|version)\/index$/,
  'operations>output': /output\/(redacted-json|progress|format|failure)$/,
  'program>project': /project\/toml\/closest-name$/,
  'transfer>api':
    /api\/(dispatch|http-reply|progress-limit|remote-clock|reply|retry|transient-failures|transport|undici)$/,
  'commands>emulator': /emulator\/index$/,
  'flags>emulator': /emulator\/index$/,
  // Its dashboard has the page of charts.
  'emulator>output': /output\/(chart\/model|chart-page\/chart-page)$/,
};

const all = readdirSync('src', { recursive: true, encoding: 'utf8' }).map((path) => join('src', path));
const files = all.filter((path) => /\.(ts|mjs)$/.test(path));

/** All but the emulator, which is another program. */
const client = files.filter((file) => !file.startsWith(join('src', 'emulator')));

test('a folder imports only the folders it may', () => {
  const offences = files.flatMap((file) =>
    imports(file)
      .filter((target) => !allowed(file, target))
      .map((target) => `${file} -> ${target}`),
  );
  expect(offences).toEqual([]);
});

test('only the renderer writes stdout, and only the entry ends the process', () => {
  const offences = files.filter((file) => {
    const source = readFileSync(file, 'utf8');
    const writes = /\bstdout\.write|console\./.test(source) && !/^src\/(output\/render|main)\.ts$/.test(file);
    const exits = /process\.exit\b/.test(source) && file !== 'src/kernel/process.ts';
    return writes || exits;
  });
  expect(offences).toEqual([]);
});

/** Only a socket of Node waits for a pipe without blocking a thread. It opens no connection. */
const waitsForPipes = /^src\/disk\/file-or-pipe\.ts$/;

test('only api, transfer, the receiver of webhooks, the emulator and the kit for tests open sockets', () => {
  const offences = files.filter(
    (file) =>
      /from '(undici|node:https?|node:net)'|import\('node:(https?|net)'\)|\bfetch\(/.test(valueImports(file)) &&
      !/^src\/(api|transfer|receiver|emulator|testing)\//.test(file) &&
      !waitsForPipes.test(file),
  );
  expect(offences).toEqual([]);
});

/** A pager, a registry login, the parser of Python, `ps`, commands that the user has typed, and `gantry` itself. */
const startsPrograms =
  /^src\/(process|config\/registry-login|project\/python-syntax|output\/key-presses|operations\/notify\/notify-command|commands\/emulator\/exec|operations\/ci\/write-package|testing\/gantry-process)\.ts$|^src\/emulator\//;

test('only run-git.ts starts git, without the programs that a repository names; few others start a program', () => {
  const starts = /(?:^import (?!type)|getBuiltinModule|import\().*\b(?:node:)?(?:child_process|cross-spawn|execa)\b/m;
  const found = files.filter((file) => starts.test(readFileSync(file, 'utf8')) && !startsPrograms.test(file));
  expect(found).toEqual(['src/deploys/git/run-git.ts']);
});

/** Write to a device, to a file that the CI system gave, to a new folder, to folders that nobody else uses, or at each start. */
const writesElsewhere =
  /^src\/(code-cache\.ts|operations\/copy\/streams\.ts|output\/github-outputs\.ts|commands\/init\.ts|operations\/ci\/write-pipeline\.ts|emulator\/(index|http\/buffered-body|running\/)|testing\/start-platform)/;

/** What users typed, apps answered or another program wrote passes through these. */
const carriesJson =
  /^src\/(api\/|operations\/(api|invoke|map|replies|run|webhooks)\/|mcp\/|emulator\/endpoints\/invocation\/|output\/(render|redacted-json)\.ts$)/;

test('JSON of users and apps keeps its numbers: json-text.ts reads and writes it', () => {
  const carriers = files.filter((file) => carriesJson.test(file));
  expect(carriers.length).toBeGreaterThan(40);
  expect(
    carriers.filter((file) => /\b(JSON\.(parse|stringify)|tryParseJson)\b/.test(readFileSync(file, 'utf8'))),
  ).toEqual([]);
});

test('a value becomes a part of a path in toPathSegment alone, which refuses what leads elsewhere', () => {
  const encoders = files.filter((file) => /\bencodeURIComponent\b/.test(readFileSync(file, 'utf8')));
  const own = /^src\/(emulator|testing)\/|^src\/(own-files|output\/known-secrets|contract\/endpoint)\.ts$/;
  expect(encoders.filter((file) => !own.test(file))).toEqual([]);
});

test('an app, a build or a run is read where its id is compared', () => {
  const readers = files.filter(
    (file) =>
      /\bget(App|Build|Run)\b/.test(readFileSync(file, 'utf8').replace(/\/\*\*[\s\S]*?\*\//g, '')) &&
      /^src\/(operations|commands|completion|views|mcp|program)\//.test(file),
  );
  expect(readers.map((file) => file.replace(/.*\//, '')).sort()).toEqual([
    'fetch-app.ts',
    'fetch-build.ts',
    'fetch-run.ts',
  ]);
});

/** Of HTTP: requests of ours, and what a failure says of the response to a call. */
const readsHttp =
  /^src\/(api\/|transfer\/|operations\/(api|failures|invoke|map)\/|emulator\/(endpoints\/invocation|model\/seed)\/)/;

test('only run-outcome.ts reads what a run came to, and only containers.ts how a container is', () => {
  const judged = [
    /\b(runStatus|statusCode)( \?\? -?\d+)?\)?\s*(?:[<>]=?|[!=]==)\s*-?\d|\bcode\)? [<>]=? [1-5](00|99)\b/,
    /\b(runStatus\([^)]*\)|status) [!=]== '(success|failure|fail|closed)'/,
    /\b(cancelled\|closed|failure\|failed|failed\|fail)\b/,
    /containerState( \?\? '')?\)? ?([!=]==|\?\.match)|\.test\([^()]*containerState/,
  ];
  const lines = files
    .filter((file) => !/^src\/contract\/(run-outcome|containers)\.ts$/.test(file) && !readsHttp.test(file))
    .flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .map((line) => `${file}: ${line.trim()}`),
    );
  expect(lines.filter((line) => judged.some((pattern) => pattern.test(line)))).toEqual([
    // The status of startup times.
    "src/cli/commands/metrics.ts: else if (status && status !== 'success')",
  ]);
});

test('only jobs.ts and read-run-days.ts make calls of runs: no job is judged or counted as one', () => {
  const offences = files.filter((file) => / (as|is) (Call|CallRow)\b/.test(readFileSync(file, 'utf8')));
  expect(offences.sort()).toEqual(['src/insight/run-mirror/read-run-days.ts', 'src/calls/runs/jobs.ts']);
});

test('runs are listed where filters, ranges and order are made sure of', () => {
  const readers = client.filter((file) => /\bapi\((listRuns|getRunsChart)\b/.test(readFileSync(file, 'utf8')));
  const lists = ['runs/jobs', 'runs/list-runs', 'runs/remote-run', 'runs/time-windows'];
  // Counts, and ids to complete.
  const others = ['cli/completion/name-sources', 'insight/monitor/call-counter', 'calls/runs/chart'];
  expect(readers.map((file) => file.slice(4, -3)).sort()).toEqual(
    [...others, ...lists.map((each) => `operations/${each}`)].sort(),
  );
});

test('only disk writes files', () => {
  const writing =
    /import \{[^}]*\b(rename|mkdtemp|writeFile|appendFile|createWriteStream)(Sync)?\b[^}]*\} from 'node:fs/;
  const offences = files.filter(
    (file) => writing.test(readFileSync(file, 'utf8')) && !file.startsWith('src/kernel/disk/') && !writesElsewhere.test(file),
  );
  expect(offences).toEqual([]);
});

test('only owner.ts decides whether a process is alive: an id means nothing in another pid namespace', () => {
  const offences = files.filter((file) => /\bkill\([^)]*, 0\)/.test(readFileSync(file, 'utf8')));
  expect(offences).toEqual(['src/kernel/disk/owner.ts']);
});

test('only state-key.ts names what is kept about a platform, by its address', () => {
  const reads = (pattern: RegExp) => client.filter((file) => pattern.test(readFileSync(file, 'utf8')));
  const sends = ['platform/api/client', 'local/doctor/platform-checks', 'calls/invoke/platform-is-here'];
  const offences = reads(/management\.value/).filter((file) => !sends.includes(file.slice(4, -3)));
  expect(offences).toEqual(['src/platform/config/state-key.ts']);
  // The name of a preview tells its repository; the index of a folder is about this machine.
  const other = ['src/deploys/previews/preview-name.ts', 'src/app/packing-cache/cache-folder.ts'];
  const shortened = reads(/digest\('hex'\)\.slice\(/).filter((file) => !/^src\/disk\//.test(file));
  expect(shortened.sort()).toEqual(['src/platform/config/state-key.ts', ...other]);
});

test('texts name a build by its first characters, as lists do', () => {
  const client = files.filter((file) => /^src\/(commands|operations|views)\//.test(file));
  const named = client.filter((file) => /(?<!the |--)build \$\{(?!shortBuild\()/.test(readFileSync(file, 'utf8')));
  // Shortened before, or as the user typed it.
  const other = ['deploy/busy-builds.ts'];
  expect(named).toEqual(['src/cli/commands/builds/follow.ts', ...other.map((file) => `src/operations/${file}`)]);
});

test('only own-files.ts asks where the files of the program are: an executable has none', () => {
  const asks = /import\.meta\.(dirname|filename|url)|__dirname|__filename|process\.execPath|process\.argv\[1\]/;
  const offences = files.filter((file) => asks.test(readFileSync(file, 'utf8')) && file !== 'src/kernel/own-files.ts');
  expect(offences).toEqual([]);
});

test('an exported name has one meaning', () => {
  const declared = /^export (?:async )?(?:abstract )?(?:function\*?|class|interface|type|const) (\w+)/gm;
  const places = new Map<string, string[]>();
  for (const file of files) {
    const names = new Set([...readFileSync(file, 'utf8').matchAll(declared)].map(([, name = '']) => name));
    for (const name of names) places.set(name, [...(places.get(name) ?? []), file]);
  }
  expect(places.size).toBeGreaterThan(500);
  expect([...places].filter(([, found]) => found.length > 1)).toEqual([]);
});

test('a fix that is a flag is one that the next command has', () => {
  // `retryWith` makes both of it; prose leaves a choice to the reader.
  const offences = files.flatMap((file) =>
    [
      ...readFileSync(file, 'utf8').matchAll(/fix: (['"`])pass --[\w-]+( (?!to |if |or )[^\s,]+( to [^,'"`]*)?)?\1/g),
    ].map(([fix]) => `${file}: ${fix}`),
  );
  expect(offences).toEqual([]);
});

test('the wall clock is read in one place, and measures no duration', () => {
  // Compared with the times of files, of the platform, and of what was stored: those are wall-clock times as well.
  const compares =
    /^src\/(process|disk\/(lock|owner|old-files)|operations\/copy\/uploader|completion\/platform-names)\.ts$/;
  const measured = client.filter((file) => !compares.test(file));
  const offences = measured.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter(
        (line) =>
          /Date\.now\b|new Date\(\)/.test(line) ||
          /\b(start|began|begun|opened|answered|deadline|end)(ed|edAt|At)? = [\w.]*\bnow\(\)/i.test(line) ||
          /(?<!performance\.)\bnow\(\) - \w/.test(line),
      )
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(offences).toEqual([]);
});

test('only clock.ts has timers, so that a test can move all of them', () => {
  const timer = /(?<!\w|\.)set(Timeout|Interval|Immediate)\b|node:timers/;
  const offences = files.filter((file) => timer.test(readFileSync(file, 'utf8').replace(/\/\*\*[\s\S]*?\*\//g, '')));
  expect(offences).toEqual(['src/kernel/clock.ts']);
});

test('only deadline.ts creates timeout signals, so that a timeout is an error of ours', () => {
  const offences = client.filter((file) => /AbortSignal\.timeout\(/.test(readFileSync(file, 'utf8')));
  expect(offences).toEqual([]);
});

test('the platforms and the official client of tests and the chaos runs share no code with what they judge', () => {
  const judges = ['strict-platform', 'app-platform', 'run-platform', 'official-client'].map(
    (name) => `test/support/${name}`,
  );
  const files = [...judges, 'test/chaos'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.(js|ts)$/.test(path))
      .map((path) => join(folder, path)),
  );
  expect(files.length).toBeGreaterThan(10);
  const offences = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/(?:from |import\()'([^']+)'/g)]
      .map(([, path = '']) => path)
      .filter((path) => !path.startsWith('node:') && !isJudges(join(dirname(file), path)))
      .map((path) => `${file} -> ${path}`),
  );
  expect(offences).toEqual([]);
});

test('each folder of operations is imported by its index.ts', () => {
  const folder = (path: string) => /^src\/operations\/([^/]+)\//.exec(path)?.[1];
  const offences = files.flatMap((file) =>
    imports(file)
      .filter((target) => folder(target) !== undefined && folder(target) !== folder(file))
      .filter((target) => !target.endsWith('/index'))
      .map((target) => `${file} -> ${target}`),
  );
  const loose = files.filter((file) => /^src\/operations\/[^/]+$/.test(file));
  expect([offences, loose]).toEqual([[], []]);
});

test('there are no import cycles, between files and between folders', () => {
  expect(cycles((file) => file)).toEqual([]);
  const parents = new Set(files.map((file) => dirname(dirname(file))));
  // A file beside folders stands for itself.
  expect(cycles((file) => (parents.has(dirname(file)) ? file : dirname(file)))).toEqual([]);
});

test('each floor of the emulator imports only floors below', () => {
  const floors = ['http', 'model', 'running', 'endpoints', 'server', 'emulator', 'index'];
  const floor = (path: string) => floors.indexOf(/^src\/emulator\/(\w+)/.exec(path)?.[1] ?? '');
  const emulator = files.filter((file) => !client.includes(file));
  expect(emulator.filter((file) => floor(file) === -1)).toEqual([]);
  const offences = emulator.flatMap((file) =>
    imports(file)
      .filter((target) => floor(target) > floor(file))
      .map((target) => `${file} -> ${target}`),
  );
  expect(offences).toEqual([]);
});

test('disk is imported by its index.ts; what every start needs of it, by the file', () => {
  const entries = new Set(['src/kernel/disk/index', 'src/kernel/disk/regular-file', 'src/kernel/disk/read-to-end']);
  const offences = files
    .filter((file) => room(file) !== 'disk')
    .flatMap((file) =>
      imports(file)
        .filter((target) => room(target) === 'disk' && !entries.has(target))
        .map((target) => `${file} -> ${target}`),
    );
  const early = files.filter((file) =>
    /^src\/(main|program\/[\w-]+|context|command|config\/(settings|credentials))\.ts$/.test(file),
  );
  const loaded = early.filter((file) => imports(file).includes('src/kernel/disk/index'));
  expect([offences, loaded]).toEqual([[], []]);
});

/** They take any number of arguments, so that a list of any length is easily spread into them. */
const variadic = /\b(push|unshift|splice|concat|max|min|fromCharCode|fromCodePoint|apply|secrets\.add|stackViews)$/;

test('no list is spread into a call: some 120,000 items overflow the stack', () => {
  expect(
    spreads('a.push(...b.map((c) => f(c, d)), e); f(...g); Math.max(0, ...h); [...i]; const j = (...k) => {};'),
  ).toEqual(['a.push', 'f', 'Math.max']);
  const offences = files.flatMap((file) =>
    spreads(readFileSync(file, 'utf8')).flatMap((callee) => (variadic.test(callee) ? [`${file}: ${callee}(…)`] : [])),
  );
  expect(offences).toEqual([]);
});

test('a file has at most 400 lines, unless it is a table', () => {
  const tables = ['src/app/schema.ts', 'src/app/wheel-tables.ts'];
  const programs = all.filter((file) => /\.(ts|mjs|js|py)$/.test(file));
  const long = programs.filter((file) => readFileSync(file, 'utf8').split('\n').length > 401);
  expect(long.filter((file) => !tables.includes(file))).toEqual([]);
});

test('only operations/logs reads logs and opens live logs: lines are late, and it knows for how long', () => {
  const reads = client.filter((file) =>
    /\b(getAppLogs|getBuildLogs|appLogSocket|buildLogSocket|openLog\()/.test(readFileSync(file, 'utf8')),
  );
  const declares = /^src\/(contract\/|context\.ts$|commands\/help\.ts$)/;
  expect(reads.filter((file) => !declares.test(file)).sort()).toEqual([
    'src/calls/logs/app-log.ts',
    'src/calls/logs/build-log.ts',
  ]);
});

test('no folder is a collection of helpers', () => {
  const drawers = files.filter((file) => /\/(utils?|helpers?|common|misc|shared|lib|types)(\/|\.ts$)/.test(file));
  expect(drawers).toEqual([]);
});

/** What is called with a list spread into its arguments. */
function spreads(source: string): string[] {
  const comment = /\/\*[\s\S]*?\*\/|\/\/.*$|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/gm;
  const code = source.replace(comment, (text) => ' '.repeat(text.length));
  return [...code.matchAll(/(?<=[(,]\s*)\.\.\./g)].flatMap(({ index }) => {
    const [open, close] = [bracketFrom(code, index - 1, -1), bracketFrom(code, index, 1)];
    const isParameter = /^\)\s*(:|=>|\{)/.test(code.slice(close, close + 20));
    const [callee] = /[\w$.#?\])]+$/.exec(code.slice(0, open)) ?? [];
    return code[open] === '(' && callee !== undefined && !isParameter ? [callee] : [];
  });
}

/** Where the brackets around a place begin or end. */
function bracketFrom(code: string, start: number, step: 1 | -1): number {
  const [inner, outer] = step === 1 ? [/[([{]/, /[)\]}]/] : [/[)\]}]/, /[([{]/];
  let at = start;
  for (let depth = 0; at >= 0 && at < code.length; at += step) {
    if (inner.test(code[at] ?? '')) depth++;
    else if (outer.test(code[at] ?? '') && depth-- === 0) break;
  }
  return at;
}

/** Their own files, and the runner of tests. */
function isJudges(path: string): boolean {
  return (
    /^test\/(support\/(strict-platform|app-platform|run-platform|official-client)|chaos)\//.test(path) ||
    path.endsWith('vitest')
  );
}

function allowed(file: string, target: string): boolean {
  const [from, to] = [room(file), room(target)];
  if (
    from === to ||
    [
      'errors',
      'command-line',
      'json-text',
      'own-files',
      'packed-list',
      'distinct-paths',
      'wall-clock',
      'clock',
    ].includes(to)
  )
    return true;
  const door = doors[`${from}>${to}`];
  return (mayImport[from] ?? []).includes(to) && (!door || door.test(target));
}

/** `src/platform/api/client.ts` is in the room `api`, `src/main.ts` is the room `main`. */
function room(path: string): string {
  return relative('src', path).split('/')[0]?.replace(/\.ts$/, '') ?? '';
}

function imports(file: string, pattern = /(?:from|import\() ?'(\.[^']+)'/g): string[] {
  return [...readFileSync(file, 'utf8').matchAll(pattern)]
    .map(([, path = '']) => join(dirname(file), path).replace(/\.ts$/, ''))
    .filter((path) => path.startsWith('src/'));
}

function valueImports(file: string): string {
  return readFileSync(file, 'utf8').replace(/import type [^;]+;/g, '');
}

/** What imports itself by way of others: files, or what they stand for. What is loaded only when it is needed does not count. */
function cycles(place: (file: string) => string): string[] {
  const needs = new Map<string, Set<string>>();
  for (const file of files) {
    const [from, to] = [place(file), imports(file, /from '(\.[^']+)'/g).map((path) => place(`${path}.ts`))];
    needs.set(from, new Set([...(needs.get(from) ?? []), ...to.filter((target) => target !== from)]));
  }
  const reaches = (from: string) => {
    const reached = new Set<string>();
    const next = [...(needs.get(from) ?? [])];
    for (let here = next.pop(); here; here = next.pop()) {
      if (reached.has(here)) continue;
      reached.add(here);
      next.push(...(needs.get(here) ?? []));
    }
    return reached;
  };
  return [...needs.keys()].filter((from) => reaches(from).has(from));
}
