import { appFields } from '../../support/strict-platform/apps.js';
import { drawSteps } from './steps.js';
import { drawContent, longAgo } from './trees.js';

/** @typedef {import('../draw.js').Draw} Draw @typedef {import('../types.ts').Plan} Plan */
/** @typedef {import('../types.ts').LocalEntry} LocalEntry */

const toml = `[cerebrium.deployment]
name = "web"
python_version = "3.11"

[cerebrium.hardware]
cpu = 2.0
memory = 4.0
compute = "CPU"
`;

/** @param {Draw} draw @returns {LocalEntry[]} */
function project(draw) {
  const extra = draw.some(['lib/a.py', 'lib/b.py', 'data.bin', '__proto__', 'with space.txt', 'caf\u00e9.txt'], 0.4);
  return [
    { path: 'cerebrium.toml', text: toml },
    { path: 'main.py', text: `def run(prompt):\n    return "${draw.int(0, 999)}"\n` },
    { path: '.env', text: 'SECRET=not-for-the-archive\n' },
    ...extra.map((path) => ({ path, content: drawContent(draw), modified: longAgo })),
  ];
}

/** @type {[number, string[]][]} */
const ends = [
  [6, ['building', 'success']],
  [2, ['building', 'initializing', 'ready']],
  [2, ['building', 'failure']],
  [1, ['building', 'build_failure']],
  [2, ['building', 'init_failure']],
  [1, ['init_timeout']],
  [1, ['building', 'cancelled']],
  [1, ['building', 'odd_new_word', 'success']],
  [1, ['building']],
];

/** deploy. @param {Draw} draw @returns {Partial<Plan>} */
export function deploy(draw) {
  const coming = [...draw.weighted(ends)];
  const isEndless = coming.length === 1 && coming[0] === 'building';
  const flags = [
    ...draw.pick([[], ['--json'], ['--events'], ['-q']]),
    ...(isEndless || draw.chance(0.1) ? ['--timeout', isEndless ? '1s' : '20s'] : []),
    ...(draw.chance(0.1) ? ['--detach'] : []),
    '--yes',
  ];
  const secret = `log-${draw.int(1e9, 2e9)}`;
  return {
    kind: 'deploy',
    local: project(draw),
    world: {
      nextBuild: {
        coming,
        log: [`pip install ${secret}`, ...(draw.chance(0.3) ? ['fetched with {token}'] : []), 'built'],
        ...(draw.chance(0.5) ? { initError: draw.pick(['the port was never opened', 'refused: Bearer {token}']) } : {}),
      },
      ...(draw.chance(0.5) ? { apps: [app('web')] } : {}),
    },
    steps: drawSteps(draw, {
      command: { args: ['deploy', ...flags] },
      points: ['create-app', 'put', 'put', 'get-build', 'get-build', 'build-logs', 'cancel-build', 'get-app'],
    }),
    facts: { coming, isDetached: flags.includes('--detach') },
  };
}

/** @param {string} name */
function app(name) {
  return {
    name,
    fields: appFields('p-chaos001', name),
  };
}

/** deploy --dry-run: reads only. @param {Draw} draw @returns {Partial<Plan>} */
export function dryRun(draw) {
  return {
    kind: 'dry-run',
    local: project(draw),
    world: { apps: draw.chance(0.7) ? [app('web')] : [] },
    steps: drawSteps(draw, {
      command: { args: ['deploy', '--dry-run', '--json'] },
      points: ['get-app', 'get-app', 'zip-contents'],
    }),
  };
}

/** deploy --dry-run -o. @param {Draw} draw @returns {Partial<Plan>} */
export function pack(draw) {
  const local = project(draw);
  const own = draw.some(['out.zip.part', 'out.zip', '.out.zip.tmp', 'out.zip.gantry-part'], 0.3);
  const linked = draw.chance(0.2) && !own.includes('out.zip.part');
  return {
    kind: 'package',
    // The archive is written beside the app, so that it is no part of it.
    local: [
      ...local.map(({ path, ...rest }) => ({ path: `app/${path}`, ...rest })),
      // Another file than an archive would not be replaced.
      ...own.map((path) => ({ path: `out/${path}`, text: path === 'out.zip' ? 'PK, mine' : 'mine' })),
      { path: 'out', folder: true },
      ...(linked ? [{ path: 'out/out.zip.part', link: '../../outside/precious/keep' }] : []),
    ],
    outside: [{ path: 'precious/keep', text: 'precious' }],
    ...(draw.chance(0.2) ? { diskKiB: draw.pick([16, 64]) } : {}),
    steps: drawSteps(draw, {
      command: { args: ['-C', 'app', 'deploy', '--dry-run', '-o', '../out/out.zip', '--json'] },
      points: ['none'],
      mayRunOutOfFiles: true,
      mayDouble: true,
    }).map((step) => ({
      ...step,
      faults: [],
      commands: step.commands.map((command) =>
        command.signal ? { ...command, signal: { ...command.signal, when: { delayMs: draw.int(60, 200) } } } : command,
      ),
    })),
  };
}

/** builds cancel. @param {Draw} draw @returns {Partial<Plan>} */
export function cancelBuild(draw) {
  const status = draw.weighted(
    /** @type {const} */ ([
      [6, 'building'],
      [1, 'success'],
      [1, 'cancelled'],
    ]),
  );
  return {
    kind: 'builds-cancel',
    world: {
      apps: [app('web')],
      builds: [
        { id: 'b-1', app: 'web', status, coming: [], zip: undefined, log: [], createdAt: '2026-11-02T10:00:00Z' },
        {
          id: 'b-2',
          app: 'web',
          status: 'building',
          coming: [],
          zip: undefined,
          log: [],
          createdAt: '2026-11-02T10:00:00Z',
        },
      ],
    },
    steps: drawSteps(draw, {
      command: { args: ['builds', 'cancel', 'web', 'b-1', '--yes', ...draw.pick([[], ['--json']])] },
      points: ['get-build', 'cancel-build', 'cancel-build'],
    }),
    facts: { status },
  };
}

/** runs list --all. @param {Draw} draw @returns {Partial<Plan>} */
export function listRuns(draw) {
  const now = Date.now();
  const isAsync = draw.chance(0.4);
  const runs = Array.from({ length: draw.int(0, 260) }, (_, index) => ({
    id: `run-${index}`,
    projectId: 'p-chaos001',
    modelId: 'p-chaos001-web',
    podName: 'pod-1',
    statusCode: 200,
    runtimeMs: 12.5,
    totalResponseTimeMs: 20,
    totalQueueTimeMs: 1,
    coldstartTimeMs: 0,
    async: true,
    createdAt: new Date(now - 60_000 - index * 1000).toISOString(),
    updatedAt: new Date(now).toISOString(),
    status: 'success',
  }));
  const lies = ['offset-ignored', 'offset-ignored', 'token-forever', 'no-total', 'invented'];
  const lie = draw.chance(0.6) ? draw.pick(lies) : undefined;
  return {
    kind: 'runs-list',
    world: { apps: [app('web')], runs, ...(lie ? { runsLie: lie } : {}) },
    steps: drawSteps(draw, {
      command: { args: ['runs', 'list', 'web', '--all', '--json=id', ...(isAsync ? ['--async'] : ['--since', '12h'])] },
      points: ['runs-chart', 'runs'],
    }),
    facts: { runs: runs.map(({ id }) => id), lie, isAsync },
  };
}

/** apps list, apps get. @param {Draw} draw @returns {Partial<Plan>} */
export function readApps(draw) {
  const names = ['web', 'Capital_9', '0lead', 'constructor'].slice(0, draw.int(1, 4));
  const args = draw.pick([
    ['apps', 'list', '--json'],
    ['apps', 'list'],
    ['apps', 'get', 'web', '--json'],
    ['apps', 'get', 'web'],
  ]);
  const apps = names.map(app);
  for (const { fields } of apps) {
    for (const name of draw.some(['errorMessage', 'region', 'baseImage', 'hardware', 'cpu', 'memory', 'port'], 0.2)) {
      if (draw.chance(0.5)) fields[/** @type {'region'} */ (name)] = /** @type {any} */ (null);
      else delete (/** @type {any} */ (fields)[name]);
    }
    if (draw.chance(0.2)) /** @type {any} */ (fields).port = '8000';
    if (draw.chance(0.2)) /** @type {any} */ (fields).cpu = 2.5;
  }
  return {
    kind: 'apps-read',
    world: { apps },
    steps: drawSteps(draw, { command: { args }, points: ['list-apps', 'get-app'] }),
    facts: { names },
  };
}

/** invoke, synchronous and not. @param {Draw} draw @returns {Partial<Plan>} */
export function invoke(draw) {
  const isAsync = draw.chance(0.4);
  const status = isAsync ? 200 : draw.pick([200, 200, 500, 418, 401]);
  const echo = `answer-${draw.int(0, 1e9)}`;
  return {
    kind: 'invoke',
    world: { apps: [app('web')], invocation: { status, body: { echo } } },
    steps: drawSteps(draw, {
      command: { args: ['invoke', 'web', 'predict', ...(isAsync ? ['--async'] : []), 'prompt=hello'] },
      points: ['invoke', 'invoke', 'get-app'],
    }),
    facts: { isAsync, status, echo },
  };
}

/** logs of an app. @param {Draw} draw @returns {Partial<Plan>} */
export function logs(draw) {
  const count = draw.int(0, 120);
  const begin = Date.now() - 3_600_000;
  const lines = Array.from({ length: count }, (_, index) => ({
    appId: 'p-chaos001-web',
    projectId: 'p-chaos001',
    runId: 'r',
    containerId: 'c',
    containerName: 'c',
    logId: `log-${index}`,
    lineNumber: index,
    stream: 'stdout',
    logLine: `line ${index}`,
    timestamp: new Date(begin + index * 1000).toISOString(),
  }));
  const lie = draw.chance(0.4) ? draw.pick(['repeats', 'token-forever']) : undefined;
  return {
    kind: 'logs',
    world: { apps: [app('web')], logs: lines, ...(lie ? { logsLie: lie } : {}) },
    steps: drawSteps(draw, {
      command: { args: ['logs', 'web', '--since', '6h', '--tail', 'all'] },
      points: ['logs', 'logs', 'get-app'],
    }),
    facts: { lines: lines.map(({ logLine }) => logLine), lie },
  };
}
