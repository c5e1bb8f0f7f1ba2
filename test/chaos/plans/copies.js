import { drawMoment, drawSteps } from './steps.js';
import { drawContent, drawTree, foldersAbove, longAgo } from './trees.js';

/** @typedef {import('../draw.js').Draw} Draw @typedef {import('../types.ts').Plan} Plan */
/** @typedef {import('../types.ts').Meddling} Meddling @typedef {import('../types.ts').RemoteEntry} RemoteEntry */

const upPoints = /** @type {const} */ (['initialize', 'put', 'put', 'complete', 'complete', 'ls']);
const downPoints = /** @type {const} */ (['ls', 'download', 'get', 'get', 'get']);
const dayMs = 86_400_000;

/** cp to a volume. @param {Draw} draw @returns {Partial<Plan>} */
export function copyUp(draw) {
  const files = drawTree(draw, { large: 0.2 });
  const { args, where } = words(draw, files, { from: 'src/', to: '/dst', isUp: true });
  const targets = targetsOf(files, where, 'src/');
  const volume = [...existing(draw, targets), ...strangers(draw, targets)];
  const options = copyOptions(draw);
  const meddled = draw.chance(0.2) ? draw.pick(targets) : undefined;
  const other = drawContent(draw);
  if (meddled && other.size === meddled.source[0]?.size) other.size++;
  /** @type {Meddling[]} */
  const meddling = meddled
    ? [{ do: 'write', path: `work/${meddled.from}`, content: other, when: drawMoment(draw, upPoints) }]
    : [];
  const between = meddled ? [{ ...meddling[0], when: { delayMs: 0 } }] : undefined;
  if (meddled) meddled.source.push(other);
  return {
    kind: 'cp-up',
    local: files.map(({ path, ...rest }) => ({ path: `src/${path}`, ...rest })),
    volume,
    steps: drawSteps(draw, {
      command: { args: ['cp', ...options.flags, ...args] },
      points: upPoints,
      mayDouble: true,
      ...(meddled ? { meddle: () => meddling, between: /** @type {Meddling[]} */ (between) } : {}),
    }),
    copies: { side: 'volume', targets, deleted: [], keeps: options.keeps, verified: options.verified, impossible: [] },
  };
}

/** cp from a volume. @param {Draw} draw @returns {Partial<Plan>} */
export function copyDown(draw) {
  const files = drawTree(draw, { most: 7 });
  addLookalikes(draw, files);
  const { args, where } = words(draw, files, { from: '/src/', to: 'dst', isUp: false });
  const targets = targetsOf(files, where, '/src/');
  const local = [...localExisting(draw, targets), ...localStrangers(draw, targets)];
  const obstacles = draw.chance(0.12) ? drawObstacles(draw, targets, local) : { outside: [], impossible: [] };
  const options = copyOptions(draw);
  const meddled = draw.chance(0.15) ? draw.pick(targets) : undefined;
  const other = drawContent(draw);
  if (meddled && other.size === meddled.source[0]?.size) other.size++;
  meddled?.source.push(other);
  /** @type {Meddling[]} */
  const meddling = [];
  if (meddled) meddling.push({ do: 'store', path: meddled.from, content: other, when: drawMoment(draw, downPoints) });
  const volume = [...remoteEntries(draw, files, '/src/'), ...strangers(draw, [])];
  const rotten = draw.chance(0.12) && !meddled ? spoil(draw, targets, volume, local) : [];
  const folder = targets.map(({ path }) => path).find((path) => foldersAbove(path).length > 1);
  // It is removed again before the last run, and with it whatever else is in the way there.
  const isFree = obstacles.impossible.length === 0;
  const planted = draw.chance(0.05) && folder && isFree ? foldersAbove(folder).at(-1) : undefined;
  return {
    kind: 'cp-down',
    local,
    outside: [...obstacles.outside, { path: 'precious/keep', text: 'precious' }],
    volume,
    ...(draw.chance(0.1) ? { diskKiB: drawRoom(draw, targets) } : {}),
    steps: told(
      rotten,
      drawSteps(draw, {
        command: { args: ['cp', ...options.flags, ...args] },
        points: downPoints,
        mayDouble: true,
        mayRunOutOfFiles: true,
        ...(meddled || planted
          ? {
              meddle: () =>
                planted && !meddled
                  ? [
                      {
                        do: 'replace-by-link',
                        path: `work/${planted}`,
                        link: '../../outside/precious',
                        when: drawMoment(draw, downPoints),
                      },
                    ]
                  : meddling,
              between: [
                ...meddling.map((one) => ({ ...one, when: { delayMs: 0 } })),
                ...(planted
                  ? [/** @type {Meddling} */ ({ do: 'remove', path: `work/${planted}`, when: { delayMs: 0 } })]
                  : []),
              ],
            }
          : {}),
      }),
    ),
    copies: {
      side: 'disk',
      targets,
      deleted: [],
      keeps: options.keeps,
      verified: options.verified,
      impossible: [...obstacles.impossible, ...rotten],
    },
    facts: { planted },
  };
}

/** cp from one folder of the volume to another. @param {Draw} draw @returns {Partial<Plan>} */
export function copyAcross(draw) {
  const files = drawTree(draw, { most: 5, large: 0.05 });
  const targets = files.map(({ path, content }) => ({ path: `/dst/${path}`, source: [content] }));
  const options = copyOptions(draw);
  return {
    kind: 'cp-across',
    volume: [...remoteEntries(draw, files, '/src/'), ...existing(draw, targets), ...strangers(draw, targets)],
    steps: drawSteps(draw, {
      command: { args: ['cp', ...options.flags, ':/src', ':/dst'] },
      points: [...upPoints, 'download', 'get'],
    }),
    copies: { side: 'volume', targets, deleted: [], keeps: options.keeps, verified: options.verified, impossible: [] },
  };
}

/** sync to a volume. @param {Draw} draw @returns {Partial<Plan>} */
export function syncUp(draw) {
  const files = drawTree(draw, { most: 6, large: 0.05 });
  const targets = files.map(({ path, content }) => ({ path: `/dst/${path}`, source: [content] }));
  const deletes = draw.chance(0.5);
  const extra = drawExtra(draw, targets, '/dst/');
  return {
    kind: 'sync-up',
    local: files.map(({ path, ...rest }) => ({ path: `src/${path}`, ...rest })),
    volume: [
      ...existing(draw, targets),
      ...extra,
      ...strangers(draw, targets).filter(({ path }) => !path.startsWith('/dst/')),
    ],
    steps: drawSteps(draw, {
      command: { args: ['sync', ...syncFlags(draw, deletes, 'default:/dst'), 'src', ':/dst'] },
      points: [...upPoints, ...(deletes ? ['rm', 'rm'] : [])],
      mayDouble: true,
    }),
    copies: {
      side: 'volume',
      targets,
      keeps: 'same-size',
      verified: false,
      impossible: [],
      deleted: deletes ? extra.map(({ path }) => path) : [],
    },
  };
}

/** sync from a volume. @param {Draw} draw @returns {Partial<Plan>} */
export function syncDown(draw) {
  const files = drawTree(draw, { most: 6, large: 0.05 });
  addLookalikes(draw, files);
  const targets = files.map(({ path, content }) => ({ path: `dst/${path}`, source: [content] }));
  const deletes = draw.chance(0.5);
  const extra = drawExtra(draw, targets, 'dst/');
  const existing = localExisting(draw, targets);
  const volume = remoteEntries(draw, files, '/src/');
  const rotten = draw.chance(0.08)
    ? spoil(
        draw,
        targets.map(({ path, source }, index) => ({ path, source, from: volume[index]?.path ?? '' })),
        volume,
        existing,
      )
    : [];
  return {
    kind: 'sync-down',
    ...(draw.chance(0.08) ? { diskKiB: drawRoom(draw, targets) } : {}),
    local: [
      ...existing,
      ...extra.map(({ path, content, modified }) => ({ path, content, modified })),
      { path: 'other/file', text: 'not in the target' },
      ...(draw.chance(0.5) ? [{ path: 'dst', folder: /** @type {const} */ (true) }] : []),
    ],
    volume,
    steps: told(
      rotten,
      drawSteps(draw, {
        command: { args: ['sync', ...syncFlags(draw, deletes, 'dst'), ':/src', 'dst'] },
        points: downPoints,
        mayDouble: true,
        mayRunOutOfFiles: true,
      }),
    ),
    copies: {
      side: 'disk',
      targets,
      keeps: 'same-size',
      verified: false,
      impossible: rotten,
      deleted: deletes ? extra.map(({ path }) => path) : [],
    },
  };
}

/** @param {Draw} draw @param {boolean} deletes @param {string} target */
function syncFlags(draw, deletes, target) {
  return [
    ...(draw.chance(0.5) ? ['--json'] : []),
    ...(draw.chance(0.3) ? ['--part-size', '5MiB'] : []),
    ...(deletes ? ['--delete', '--confirm', target] : []),
  ];
}

/** @param {Draw} draw @returns {{ flags: string[], keeps: 'nothing' | 'same-size' | 'anything', verified: boolean }} */
function copyOptions(draw) {
  const keeps = draw.weighted(
    /** @type {const} */ ([
      [8, 'nothing'],
      [1, 'same-size'],
      [1, 'anything'],
    ]),
  );
  const verified = draw.chance(0.1);
  return {
    keeps,
    verified,
    flags: [
      ...(keeps === 'same-size' ? ['--update'] : keeps === 'anything' ? ['--no-clobber'] : []),
      ...(verified ? ['--verify'] : []),
      ...(draw.chance(0.5) ? ['--json'] : []),
      ...(draw.chance(0.6) ? ['--part-size', '5MiB'] : []),
      ...(draw.chance(0.2) ? ['--concurrency', String(draw.int(1, 4))] : []),
    ],
  };
}

/**
 * How the copy is written, and where each file goes; undefined: it is not copied.
 * @param {Draw} draw @param {{ path: string }[]} files @param {{ from: string, to: string, isUp: boolean }} places
 * @returns {{ args: string[], where: (path: string) => string | undefined }}
 */
function words(draw, files, { from, to, isUp }) {
  const source = (/** @type {string} */ path) => (isUp ? `./${from}${path}` : `:${from}${path}`);
  const target = isUp ? `:${to}` : `./${to}`;
  const form = draw.weighted(
    /** @type {const} */ ([
      [5, 'folder'],
      [2, 'into'],
      [2, 'as'],
      [1, 'several'],
    ]),
  );
  const one = draw.pick(files).path;
  const name = one.slice(one.lastIndexOf('/') + 1);
  if (form === 'into')
    return { args: [source(one), `${target}/`], where: (path) => (path === one ? `${to}/${name}` : undefined) };
  if (form === 'as') {
    return {
      args: [source(one), `${target}/new-name`],
      where: (path) => (path === one ? `${to}/new-name` : undefined),
    };
  }
  const tops = [...new Set(files.map(({ path }) => path.split('/')[0] ?? ''))];
  if (form === 'several' && tops.length > 1) {
    return { args: [...tops.map(source), `${target}/`], where: (path) => `${to}/${path}` };
  }
  return { args: [source('').slice(0, -1), target], where: (path) => `${to}/${path}` };
}

/** Files whose names a careless client might use for its own. @param {Draw} draw @param {{ path: string, content: any, modified: number }[]} files */
function addLookalikes(draw, files) {
  if (!draw.chance(0.3)) return;
  const base = draw.pick(files);
  const path = `${base.path}${draw.pick(['.gantry-part', '.part', '.tmp', '.lock', '~'])}`;
  if (path.slice(path.lastIndexOf('/') + 1).length > 250 || files.some((file) => file.path === path)) return;
  // Of the same size they could pass for each other.
  const content = { ...drawContent(draw), ...(draw.chance(0.5) ? { size: base.content.size } : {}) };
  files.push({ path, content, modified: base.modified });
}

/** @param {Draw} draw @param {{ path: string, content: any, modified: number }[]} files @param {string} prefix @returns {RemoteEntry[]} */
function remoteEntries(draw, files, prefix) {
  const etag = draw.weighted(
    /** @type {const} */ ([
      [6, 'md5'],
      [2, 'parts'],
    ]),
  );
  return files.map(({ path, content, modified }) => ({ path: prefix + path, content, modified, etag }));
}

/**
 * What the files are at the target, as far as the command copies them.
 * @param {{ path: string, content: import('../types.ts').Content }[]} files
 * @param {(path: string) => string | undefined} where @param {string} from
 */
function targetsOf(files, where, from) {
  return files.flatMap(({ path, content }) => {
    const target = where(path);
    return target === undefined ? [] : [{ path: target, source: [content], from: `${from}${path}` }];
  });
}

/** A disk that mostly is too small for all of them, in KiB. @param {Draw} draw @param {import('../types.ts').Target[]} targets */
function drawRoom(draw, targets) {
  const bytes = targets.reduce((sum, { source: [content] }) => sum + (content?.size ?? 0), 0);
  return Math.max(16, Math.round((bytes / 1024) * draw.pick([0.3, 0.6, 0.9])));
}

/** Without its ETag nobody could tell that a file is damaged. @param {string[]} rotten @param {import('../types.ts').Step[]} steps */
function told(rotten, steps) {
  if (rotten.length === 0) return steps;
  return steps.map((step) => ({ ...step, faults: step.faults.filter(({ what }) => what !== 'no-etag') }));
}

/**
 * The storage has damaged one of the sources, and its ETag gives it away: that target cannot be. Gives its path.
 * @param {Draw} draw @param {{ path: string, source: import('../types.ts').Content[], from: string }[]} targets
 * @param {RemoteEntry[]} volume @param {{ path: string }[]} local
 */
function spoil(draw, targets, volume, local) {
  // What is there already may be left as it is.
  const isNew = (/** @type {{ path: string }} */ { path }) => local.every((one) => one.path !== path);
  const chosen = targets.filter((target) => isNew(target) && target.source.every(({ size }) => size > 0));
  if (chosen.length === 0) return [];
  const { path, from } = draw.pick(chosen);
  const entry = volume.find((one) => one.path === from && one.etag === 'md5');
  if (!entry) return [];
  entry.isRotten = true;
  return [path];
}

/** Files that are at some of the targets already. @param {Draw} draw @param {import('../types.ts').Target[]} targets @returns {RemoteEntry[]} */
function existing(draw, targets) {
  return draw.some(targets, draw.pick([0, 0, 0.4])).map(({ path, source: [content] }) => ({
    path,
    etag: /** @type {const} */ ('md5'),
    ...before(draw, /** @type {import('../types.ts').Content} */ (content)),
  }));
}

/** @param {Draw} draw @param {import('../types.ts').Target[]} targets @returns {import('../types.ts').LocalEntry[]} */
function localExisting(draw, targets) {
  return draw
    .some(targets, draw.pick([0, 0, 0.4]))
    .map(({ path, source: [content] }) => ({ path, ...before(draw, /** @type {any} */ (content)) }));
}

/** What a target held before: the same, or something else that is older. @param {Draw} draw @param {import('../types.ts').Content} content */
function before(draw, content) {
  if (draw.chance(0.3)) return { content, modified: Date.parse('2026-11-01T00:00:00Z') };
  const other = drawContent(draw);
  return {
    content: other.size === content.size ? { ...other, size: other.size + 1 } : other,
    modified: longAgo - dayMs,
  };
}

/** Files on the volume that have nothing to do with it. @param {Draw} draw @param {import('../types.ts').Target[]} targets @returns {RemoteEntry[]} */
function strangers(draw, targets) {
  const paths = ['/other/file', '/dst2/file', '/dst/stranger 1', '/dst.bak'];
  const taken = new Set(targets.flatMap(({ path }) => [path, ...foldersAbove(path)]));
  const below = (/** @type {string} */ path) =>
    foldersAbove(path).some((folder) => targets.some((t) => t.path === folder));
  return draw
    .some(paths, 0.5)
    .filter((path) => !taken.has(path) && !below(path))
    .map((path) => ({ path, content: drawContent(draw), modified: longAgo, etag: 'md5' }));
}

/** The user's own files near the targets. @param {Draw} draw @param {import('../types.ts').Target[]} targets @returns {import('../types.ts').LocalEntry[]} */
function localStrangers(draw, targets) {
  const taken = new Set(targets.flatMap(({ path }) => [path, ...foldersAbove(path)]));
  const near = targets.map(({ path }) => `${path}${draw.pick(['.gantry-part', '.part', '.bak', '.tmp', '.lock'])}`);
  const all = [...draw.some(near, 0.15), ...draw.some(['other/file', 'dst/.gantry-own', 'dst/own file'], 0.3)];
  return all
    .filter((path) => !taken.has(path) && path.split('/').every((name) => Buffer.byteLength(name) < 255))
    .map((path) => ({ path, content: drawContent(draw), modified: longAgo }));
}

/** Things in the way of targets. @param {Draw} draw @param {import('../types.ts').Target[]} targets @param {import('../types.ts').LocalEntry[]} local */
function drawObstacles(draw, targets, local) {
  const used = new Set(local.flatMap(({ path }) => [path, ...foldersAbove(path)]));
  const { path } = draw.pick(targets);
  const folder = foldersAbove(path).at(-1);
  const below = targets.filter((target) => target.path.startsWith(`${folder}/`)).map((target) => target.path);
  const way = draw.pick(['link-to-folder', 'file-as-folder', 'folder-as-file', 'link-as-file']);
  if (way === 'link-to-folder' && folder && folder !== 'dst' && !used.has(folder)) {
    const up = '../'.repeat(folder.split('/').length);
    local.push({ path: folder, link: `${up}outside/elsewhere` });
    return { outside: [{ path: 'elsewhere/own', text: 'not yours' }], impossible: below };
  }
  if (way === 'file-as-folder' && folder && folder !== 'dst' && !used.has(folder)) {
    local.push({ path: folder, text: 'a file in the way' });
    return { outside: [], impossible: below };
  }
  if (way === 'folder-as-file' && !used.has(path) && path !== 'dst/new-name') {
    local.push({ path: `${path}/own`, text: 'a folder in the way' });
    return { outside: [], impossible: [path] };
  }
  if (way === 'link-as-file' && !used.has(path)) {
    local.push({ path, link: `${'../'.repeat(path.split('/').length)}outside/elsewhere/own` });
    return { outside: [{ path: 'elsewhere/own', text: 'not yours' }], impossible: [] };
  }
  return { outside: [], impossible: [] };
}

/** Files that are only in the target of a sync. @param {Draw} draw @param {import('../types.ts').Target[]} targets @param {string} prefix @returns {RemoteEntry[]} */
function drawExtra(draw, targets, prefix) {
  const taken = new Set(targets.flatMap(({ path }) => [path, ...foldersAbove(path)]));
  return draw
    .some(['extra 1', 'extra.gantry-part', 'old/x', 'old/y', '.keep'], 0.4)
    .map((name) => prefix + name)
    .filter((path) => !taken.has(path) && !foldersAbove(path).some((folder) => targets.some((t) => t.path === folder)))
    .map((path) => ({ path, content: drawContent(draw), modified: longAgo, etag: 'md5' }));
}
