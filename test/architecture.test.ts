import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { bodiesIn } from './support/decisions.ts';

/** The rooms from the bottom up: each imports only rooms that it names. */
const rooms: Record<string, string[]> = {
  kernel: [],
  platform: ['kernel'],
  app: ['kernel'],
  storage: ['app', 'platform', 'kernel'],
  causes: ['app', 'platform', 'kernel'],
  calls: ['causes', 'storage', 'app', 'platform', 'kernel'],
  deploys: ['calls', 'causes', 'storage', 'app', 'platform', 'kernel'],
  insight: ['deploys', 'calls', 'causes', 'app', 'platform', 'kernel'],
  team: ['deploys', 'app', 'platform', 'kernel'],
  local: ['insight', 'deploys', 'calls', 'app', 'platform', 'kernel'],
  emulator: ['platform', 'kernel'],
  cli: ['local', 'team', 'insight', 'deploys', 'calls', 'causes', 'storage', 'emulator', 'app', 'platform', 'kernel'],
  main: ['cli', 'kernel'],
  testing: ['kernel'],
  // Finds the files of the program beside itself.
  'own-files': [],
};

/** Climbs, each with its reason. */
const climbs = [
  // A run sends files and is recorded as a deploy is.
  'src/calls/run/start-run.ts -> src/deploys/history/index',
  'src/calls/run/start-run.ts -> src/deploys/send/index',
  'src/calls/runs/jobs.ts -> src/deploys/history/index',
  // Each tool call of an agent is a command line.
  'src/cli/mcp/call.ts -> src/main',
];

const work = 'storage|causes|calls|deploys|insight|team|local';

/** Where a room is entered by some doors only: who, what it enters, and the doors. */
const doors: [RegExp, RegExp, RegExp][] = [
  // What does the work knows no terminal; the emulator has the kit of pages.
  [RegExp(`^src/(${work})/`), /^src\/kernel\/output\//, /\/(redacted-json|progress|format|failure)$/],
  [/^src\/emulator\//, /^src\/kernel\/output\//, /\/page-kit\/page-kit$/],
  [/^src\/app\//, /^src\/kernel\/(output\/|process$)/, /^none$/],
  // The terminal knows no HTTP; the bytes of volumes know no endpoint.
  [/^src\/cli\/(?!program\/)/, /^src\/platform\/api\//, /^none$/],
  [
    /^src\/storage\/transfer\//,
    /^src\/platform\/api\//,
    /\/(dispatch|http-reply|idle-timeout|remote-clock|reply|retry|transient-failures|transport|undici)$/,
  ],
  [/^src\/emulator\//, /^src\/platform\//, /^src\/platform\/(contract\/|scaling$)/],
  [/^src\/cli\//, /^src\/emulator\//, /^src\/emulator\/index$/],
  [/^src\/platform\/contract\//, /^src\/(platform\/(?!contract\/)|kernel\/output\/)/, /^none$/],
];

const all = readdirSync('src', { recursive: true, encoding: 'utf8' }).map((path) => join('src', path));
const files = all.filter((path) => /\.(ts|mjs)$/.test(path));

/** All but the emulator, which is another program. */
const client = files.filter((file) => !file.startsWith(join('src', 'emulator')));

test('a room imports only rooms below it', () => {
  const offences = files.flatMap((file) =>
    imports(file)
      .filter((target) => !allowed(file, target))
      .map((target) => `${file} -> ${target}`),
  );
  expect(offences).toEqual([]);
});

test('only the kit of pages makes pages, so that all of them have one look and one policy', () => {
  const offences = files.filter((file) => /<!doctype html>\n|text\/html; charset/.test(readFileSync(file, 'utf8')));
  expect(offences).toEqual(['src/kernel/output/page-kit/page-kit.ts']);
});

test('only the renderer writes stdout, and only the entry ends the process', () => {
  const offences = files.filter((file) => {
    const source = readFileSync(file, 'utf8');
    const writes = /\bstdout\.write|console\./.test(source) && !/^src\/(kernel\/output\/render|main)\.ts$/.test(file);
    const exits = /process\.exit\b/.test(source) && file !== 'src/kernel/process.ts';
    return writes || exits;
  });
  expect(offences).toEqual([]);
});

/** Only a socket of Node waits for a pipe without blocking a thread. It opens no connection. */
const waitsForPipes = /^src\/kernel\/disk\/file-or-pipe\.ts$/;

test('only api, transfer, the receiver of webhooks, the emulator and the kit for tests open sockets', () => {
  const offences = files.filter(
    (file) =>
      /from '(undici|node:https?|node:net)'|import\('node:(https?|net)'\)|\bfetch\(/.test(valueImports(file)) &&
      !/^src\/(platform\/api|storage\/transfer|calls\/receiver|emulator|testing)\//.test(file) &&
      !waitsForPipes.test(file),
  );
  expect(offences).toEqual([]);
});

/** A pager, a registry login, the parser of Python, uv, `ps`, commands that the user has typed, and `gantry` itself. */
const startsPrograms =
  /^src\/(kernel\/(process|output\/key-presses)|platform\/config\/registry-login|app\/(python-syntax|resolver)|local\/ci\/write-package|cli\/commands\/emulator\/exec|testing\/gantry-process)\.ts$|^src\/emulator\//;

test('only run-git.ts starts git, without the programs that a repository names; few others start a program', () => {
  const starts = /(?:^import (?!type)|getBuiltinModule|import\().*\b(?:node:)?(?:child_process|cross-spawn|execa)\b/m;
  const found = files.filter((file) => starts.test(readFileSync(file, 'utf8')) && !startsPrograms.test(file));
  expect(found).toEqual(['src/deploys/git/run-git.ts']);
});

/** Write to a device, to a file that the CI system gave, to a new folder, to folders that nobody else uses, or at each start. */
const writesElsewhere =
  /^src\/(cli\/(code-cache|commands\/init)\.ts|storage\/copy\/streams\.ts|kernel\/output\/github-outputs\.ts|local\/ci\/index\.ts|emulator\/(server\/snapshots|http\/buffered-body|running\/)|testing\/index)/;

/** What users typed, apps answered or another program wrote passes through these. */
const carriesJson =
  /^src\/(platform\/(api\/|any-endpoint\.|replies\/)|calls\/(invoke|map|run|webhooks)\/|cli\/mcp\/|emulator\/endpoints\/invocation\/|kernel\/output\/(render|redacted-json)\.ts$)/;

test('JSON of users and apps keeps its numbers: json-text.ts reads and writes it', () => {
  const carriers = files.filter((file) => carriesJson.test(file));
  expect(carriers.length).toBeGreaterThan(40);
  expect(
    carriers.filter((file) => /\b(JSON\.(parse|stringify)|tryParseJson)\b/.test(readFileSync(file, 'utf8'))),
  ).toEqual([]);
});

test('a value becomes a part of a path in toPathSegment alone, which refuses what leads elsewhere', () => {
  const encoders = files.filter((file) => /\bencodeURIComponent\b/.test(readFileSync(file, 'utf8')));
  const own =
    /^src\/(emulator|testing)\/|^src\/(own-files|kernel\/output\/known-secrets|platform\/contract\/endpoint)\.ts$/;
  expect(encoders.filter((file) => !own.test(file))).toEqual([]);
});

test('an app, a build or a run is read where its id is compared', () => {
  const readers = files.filter(
    (file) =>
      /\bget(App|Build|Run)\b/.test(readFileSync(file, 'utf8').replace(/\/\*\*[\s\S]*?\*\//g, '')) &&
      !/^src\/(platform\/contract|emulator|testing)\//.test(file),
  );
  expect(readers.sort()).toEqual([
    'src/calls/runs/fetch-run.ts',
    'src/deploys/builds/follow-build.ts',
    'src/platform/replies/index.ts',
  ]);
});

/** Of HTTP: requests of ours, and what a failure says of the response to a call. */
const readsHttp =
  /^src\/(platform\/(api\/|any-endpoint\.)|storage\/transfer\/|causes\/|calls\/(invoke|map)\/|emulator\/(endpoints\/invocation|model\/seed)\/)/;

test('only run-outcome.ts reads what a run came to, and only containers.ts how a container is', () => {
  const judged = [
    /\b(runStatus|statusCode)( \?\? -?\d+)?\)?\s*(?:[<>]=?|[!=]==)\s*-?\d|\bcode\)? [<>]=? [1-5](00|99)\b/,
    /\b(runStatus\([^)]*\)|status) [!=]== '(success|failure|fail|closed)'/,
    /\b(cancelled\|closed|failure\|failed|failed\|fail)\b/,
    /containerState( \?\? '')?\)? ?([!=]==|\?\.match)|\.test\([^()]*containerState/,
  ];
  const lines = files
    .filter((file) => !/^src\/platform\/contract\/(run-outcome|containers)\.ts$/.test(file) && !readsHttp.test(file))
    .flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .map((line) => `${file}: ${line.trim()}`),
    );
  expect(lines.filter((line) => judged.some((pattern) => pattern.test(line)))).toEqual([
    // The status of startup times.
    "src/cli/commands/metrics.ts: if (status && status !== 'success') {",
  ]);
});

test('only jobs.ts and read-run-days.ts make calls of runs: no job is judged or counted as one', () => {
  const offences = files.filter((file) => / (as|is) (Call|CallRow)\b/.test(readFileSync(file, 'utf8')));
  expect(offences.sort()).toEqual(['src/calls/runs/jobs.ts', 'src/insight/run-mirror/read-run-days.ts']);
});

test('runs are listed where filters, ranges and order are made sure of', () => {
  const readers = client.filter((file) => /\bapi\((listRuns|getRunsChart)\b/.test(readFileSync(file, 'utf8')));
  const lists = ['runs/fetch-run', 'runs/jobs', 'runs/list-runs'];
  // Counts, and ids to complete.
  const others = ['cli/completion/name-sources', 'insight/monitor/call-counter', 'calls/runs/chart'];
  expect(readers.map((file) => file.slice(4, -3)).sort()).toEqual(
    [...others, ...lists.map((each) => `calls/${each}`)].sort(),
  );
});

test('only disk writes files', () => {
  const writing =
    /import \{[^}]*\b(rename|mkdtemp|writeFile|appendFile|createWriteStream)(Sync)?\b[^}]*\} from 'node:fs/;
  const offences = files.filter(
    (file) =>
      writing.test(readFileSync(file, 'utf8')) && !file.startsWith('src/kernel/disk/') && !writesElsewhere.test(file),
  );
  expect(offences).toEqual([]);
});

test('only owner.ts decides whether a process is alive: an id means nothing in another pid namespace', () => {
  const offences = files.filter((file) => /\bkill\([^)]*, 0\)/.test(readFileSync(file, 'utf8')));
  expect(offences).toEqual(['src/kernel/disk/owner.ts']);
});

test('only state-key.ts names what is kept about a platform, by its address', () => {
  const reads = (pattern: RegExp) => client.filter((file) => pattern.test(readFileSync(file, 'utf8')));
  const sends = ['platform/api/client', 'local/doctor/platform-checks', 'calls/invoke/call-target'];
  const offences = reads(/management\.value/).filter((file) => !sends.includes(file.slice(4, -3)));
  expect(offences).toEqual(['src/platform/config/state-key.ts']);
  // The name of a preview tells its repository; the index of a folder is about this machine.
  const other = ['src/deploys/previews/preview-record.ts', 'src/app/packing-cache/cache-folder.ts'];
  const shortened = reads(/digest\('hex'\)\.slice\(/).filter((file) => !/^src\/kernel\/disk\//.test(file));
  expect(shortened.sort()).toEqual(['src/platform/config/state-key.ts', ...other].sort());
});

test('texts name a build by its first characters, as lists do', () => {
  const client = files.filter((file) => /^src\/(cli|deploys|calls|insight|team|local)\//.test(file));
  const named = client.filter((file) => /(?<!the |--)build \$\{(?!shortBuild\()/.test(readFileSync(file, 'utf8')));
  // Shortened before, or as the user typed it.
  expect(named.map((file) => file.replace(/.*\//, '')).sort()).toEqual(['busy-builds.ts', 'observe.ts']);
});

test('only own-files.ts asks where the files of the program are: an executable has none', () => {
  const asks = /import\.meta\.(dirname|filename|url)|__dirname|__filename|process\.execPath|process\.argv\[1\]/;
  const offences = files.filter((file) => asks.test(readFileSync(file, 'utf8')) && file !== 'src/own-files.ts');
  expect(offences).toEqual([]);
});

test('an exported name has one meaning, and the name of a type has one in any case', () => {
  const declared =
    /^(?:export (?:async )?(?:function\*?|const)|(?:export )?(?:abstract )?(?:class|interface|type)) (\w+)/gm;
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

test('flags of V8 are changed in one place, which knows the usual ones', () => {
  const changing = files.filter((file) => readFileSync(file, 'utf8').includes('setFlagsFromString('));
  // The thread takes back what would slow its own work.
  expect(changing).toEqual(['src/kernel/v8-flags.ts', 'src/storage/transfer/hash-worker.mjs']);
});

test('the wall clock is read in one place, and measures no duration', () => {
  // Compared with the times of files, of the platform, and of what was stored: those are wall-clock times as well.
  const compares =
    /^src\/(kernel\/(process|disk\/(lock|owner|kept-files))|storage\/copy\/to-volume|calls\/runs\/failed-calls|cli\/completion\/complete)\.ts$/;
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

test('a folder of a room that does work is imported by its index.ts', () => {
  const folder = (path: string) => /^src\/(causes|(?:(?!cli|emulator)\w+)\/[^/]+)\//.exec(path)?.[1];
  const entered = new Set(files.filter((file) => file.endsWith('/index.ts')).map((file) => folder(file)));
  const offences = files
    .filter((file) => !file.startsWith('src/kernel/'))
    .flatMap((file) =>
      imports(file)
        .filter((target) => RegExp(`^src/(${work})/`).test(target) && folder(target) && entered.has(folder(target)))
        .filter((target) => folder(target) !== folder(file) && !target.endsWith('/index'))
        .map((target) => `${file} -> ${target}`),
    );
  expect(offences).toEqual([]);
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
    .filter((file) => !file.startsWith('src/kernel/disk/'))
    .flatMap((file) =>
      imports(file)
        .filter((target) => target.startsWith('src/kernel/disk/') && !entries.has(target))
        .map((target) => `${file} -> ${target}`),
    );
  const early = files.filter((file) =>
    /^src\/(main|cli\/(program\/[\w-]+|command)|platform\/(context|config\/(settings|credentials)))\.ts$/.test(file),
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

/** Those of rooms that are still to be made simpler: the list only becomes shorter. */
const dense = new Set([
  'src/cli/commands/logs.ts',
  'src/cli/completion/candidates.ts',
  'src/cli/flags/app.ts',
  'src/cli/program/approve-target.ts',
  'src/cli/program/command-tree.ts',
  'src/cli/program/usage-errors.ts',
  'src/deploys/builds/follow-build.ts',
  'src/deploys/git/repository.ts',
  'src/deploys/git/run-git.ts',
  'src/deploys/history/app-history.ts',
  'src/deploys/previews/preview-record.ts',
  'src/deploys/replicas.ts',
  'src/deploys/rollback/rollback.ts',
  'src/deploys/team-state/team-state.ts',
  'src/emulator/server/serve.ts',
  'src/storage/weights/find-weights.ts',
]);

test('a body over 12 lines has at most one decision in two lines', () => {
  expect(bodiesIn('function f() {\n  if (a && b) c();\n  // no ifs\n  return d ? e : f;\n}', 1)).toEqual([
    { line: 1, lines: 2, decisions: 3 },
  ]);
  const offences = files.flatMap((file) =>
    bodiesIn(readFileSync(file, 'utf8'), 12)
      .filter(({ decisions, lines }) => decisions > Math.ceil(lines / 2))
      .map(({ line, decisions, lines }) => `${file}:${line}: ${decisions} in ${lines} lines`),
  );
  const offenders = new Set(offences.map((offence) => offence.replace(/:.*/, '')));
  expect(offences.filter((offence) => !dense.has(offence.replace(/:.*/, '')))).toEqual([]);
  expect([...dense].filter((file) => !offenders.has(file))).toEqual([]);
});

test('no literal is spread or taken apart to save lines', () => {
  const spread = /\.\.\.\{/;
  const taken = /^ *(?:const|let) \[[^=\n]*\] = \[.*\];$/m;
  const below = readdirSync('test', { recursive: true, encoding: 'utf8' }).map((path) => join('test', path));
  const tests = below.filter((path) => /\.(ts|js)$/.test(path) && !path.includes('node_modules'));
  expect([...files, ...tests].filter((file) => spread.test(readFileSync(file, 'utf8')))).toEqual([]);
  expect(files.filter((file) => taken.test(readFileSync(file, 'utf8')))).toEqual([]);
  const list = /\.\.\.(?:\(\[[^\]]*\] as const\)|\['[^\]]*\])[,\]]/;
  expect(files.filter((file) => list.test(readFileSync(file, 'utf8')))).toEqual([]);
});

test('only calls/logs reads logs and opens live logs: lines are late, and it knows for how long', () => {
  const reads = client.filter((file) =>
    /\b(getAppLogs|getBuildLogs|appLogSocket|buildLogSocket|openLog\()/.test(readFileSync(file, 'utf8')),
  );
  const declares = /^src\/(platform\/(contract\/|context\.ts$)|cli\/commands\/help\.ts$)/;
  expect(reads.filter((file) => !declares.test(file))).toEqual(['src/calls/logs/log-source.ts']);
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
  if (climbs.includes(`${file} -> ${target}`)) return true;
  const [from, to] = [room(file), room(target)];
  if (from !== to && to !== 'own-files' && !rooms[from]?.includes(to)) return false;
  return doors.every(([who, into, only]) => !who.test(file) || !into.test(target) || only.test(target));
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
