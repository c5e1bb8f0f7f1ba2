import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import type { Stage } from '../../app/docker-image.ts';
import type { SeenCause } from './seen-cause.ts';
import type { Shipment } from './shipment.ts';

/** What a line of another language takes from another file: its path, relative to the file. */
interface Taken {
  path: string;
  line: number;
  /** It may leave out an end such as `.ts`, or `/index.js`. */
  ends: readonly string[];
}

const scripts = [
  '',
  '.js',
  '.ts',
  '.mjs',
  '.cjs',
  '.tsx',
  '.jsx',
  '.json',
  '/index.js',
  '/index.ts',
  '/index.tsx',
  '/index.mjs',
];

/** Files that the sources of other languages name, and packages that no list of theirs has. */
export function* lookAtSources(shipment: Shipment): Generator<SeenCause> {
  if (!shipment.isDocker) return;
  const stages = shipment.dockerfile()?.image.stages ?? [];
  for (const file of shipment.paths) {
    if (
      !/\.(?:[cm]?[jt]sx?|rs|go|php)$/.test(file) ||
      /(?:^|\/)(?:node_modules|vendor|target|tests?)\/|\.(?:test|spec|d)\.|(?:^|\/)build\.rs$/.test(file)
    )
      continue;
    const text = shipment.text(file);
    if (text === undefined) continue;
    for (const taken of takenBy(shipment, file, text)) yield* missing(shipment, stages, file, taken);
    if (/\.[cm]?[jt]sx?$/.test(file)) yield* packages(shipment, file, text);
  }
}

function takenBy(shipment: Shipment, file: string, text: string): Taken[] {
  const kind = posix.extname(file);
  const all = (pattern: RegExp, ends: readonly string[], toPath = (name: string) => name): Taken[] =>
    [...text.matchAll(pattern)].flatMap(({ 1: name = '', index }) => {
      const line = text.slice(0, index).split('\n').length;
      return /^\s*(?:\/\/|\*|#)/.test(text.split('\n')[line - 1] ?? '') ? [] : [{ path: toPath(name), line, ends }];
    });
  if (kind === '.rs') {
    const stem = posix.basename(file, '.rs');
    const folder = /^(?:main|lib|mod)$/.test(stem) || posix.dirname(file).endsWith('/bin') ? '' : `${stem}/`;
    return [
      ...all(/^\s*(?:pub(?:\([\w: ]+\))?\s+)?mod\s+(\w+);/gm, ['.rs', '/mod.rs'], (name) => folder + name),
      ...all(/include_(?:str|bytes)!\(\s*"([^"]+)"\s*\)/g, ['']),
    ];
  }
  if (kind === '.go') {
    const modFile = shipment.paths.find(
      (path) =>
        posix.basename(path) === 'go.mod' &&
        `${file}`.startsWith(posix.dirname(path) === '.' ? '' : posix.dirname(path)),
    );
    const module = /^module\s+(\S+)/m.exec(modFile === undefined ? '' : (shipment.text(modFile) ?? ''))?.[1];
    const up = posix.relative(posix.dirname(file), posix.dirname(modFile ?? '.'));
    const own =
      module === undefined
        ? []
        : all(new RegExp(`"${module.replace(/[.+*?^$()|[\]{}\\]/g, '\\$&')}/([\\w./-]+)"`, 'g'), ['/'], (name) =>
            posix.join(up || '.', name),
          );
    return [...own, ...all(/^\/\/go:embed\s+([\w./-]+)\s*$/gm, ['', '/'])];
  }
  if (kind === '.php')
    return all(/(?:require|include)(?:_once)?\s*\(?\s*__DIR__\s*\.\s*['"]\/([^'"]+)['"]/g, ['']).filter(
      ({ path }) => !path.includes('vendor/'),
    );
  return [
    ...all(/(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\(\s*)["'](\.{1,2}\/[^"'\n]+)["']/g, scripts),
    ...all(
      /(?:readFile(?:Sync)?|readTextFile(?:Sync)?|Deno\.readFile|Bun\.file|cpSync|copyFileSync|createReadStream)\(\s*["'`]((?:\.\/)?[\w-][\w./-]*\.\w+)["'`]/g,
      [''],
    ).map((taken) => ({ ...taken, path: `\0${taken.path}` })),
  ];
}

/** Of a path that is read at run time, the folder is that of the package, or where the image starts. */
function* missing(
  shipment: Shipment,
  stages: readonly Stage[],
  file: string,
  { path, line, ends }: Taken,
): Generator<SeenCause> {
  const isRead = path.startsWith('\0');
  const bases = isRead ? [...new Set(['.', posix.dirname(file), file.split('/')[0] ?? '.'])] : [posix.dirname(file)];
  const plain = path.replace('\0', '');
  const candidates = bases
    .flatMap((base) => ends.map((end) => posix.join(base, plain + end)))
    .flatMap((each) =>
      /\.js$/.test(each) ? [each, each.replace(/\.js$/, '.ts'), each.replace(/\.js$/, '.tsx')] : [each],
    );
  const fits = (one: string) => (has: string) => (one.endsWith('/') ? has.startsWith(one) : has === one);
  const sent = candidates.find((each) => shipment.paths.some(fits(each)));
  const at = { file, line };
  if (sent === undefined) {
    if (/(?:^|\/)(?:dist|build|generated|node_modules|\.next|target)\//.test(plain)) return;
    const there = candidates.find(
      (each) => each !== '.' && !each.endsWith('/index.js') && shipment.exists(each.replace(/\/$/, '')),
    );
    const folder = posix.dirname(candidates[0] ?? '');
    const other = shipment
      .list(folder)
      .find((name) => name.toLowerCase() === posix.basename(candidates[0] ?? '').toLowerCase());
    if (there !== undefined) {
      const { why, fix } = shipment.reasonOf(there.endsWith('/') ? `${there}file` : there);
      yield {
        cause: 'file-excluded',
        severity: 'error',
        captured: { path: there },
        at,
        title: `${there} is in the app folder, but is not sent: ${why}`,
        fix,
      };
    } else
      yield {
        cause: 'file-not-found',
        severity: isRead ? 'warning' : 'error',
        captured: { path: plain },
        at,
        title: `${file} needs ${plain}, which is not in the app`,
        why: other && `the folder has ${other}`,
        fix: other ? `rename ${other}: Linux tells capitals from small letters` : 'add it, or correct the path',
      };
    return;
  }
  // In each stage that has the file, what it needs must be, too.
  const having = stages.filter((stage) => [...stage.files.values()].includes(file));
  const without = having.find(
    (stage) =>
      stage.others.length === 0 &&
      ![...stage.files.values()].some((each) => (sent.endsWith('/') ? each.startsWith(sent) : each === sent)),
  );
  if (without && having.length > 0)
    yield {
      cause: 'file-not-found',
      severity: isRead ? 'warning' : 'error',
      captured: { path: sent },
      at,
      title: `${file} needs ${sent}, which the Dockerfile does not copy`,
      fix: `COPY ${sent.endsWith('/') ? sent : posix.dirname(sent) === '.' ? sent : posix.dirname(sent)} in ${shipment.dockerfile()?.path}`,
    };
}

/** Imports of packages that neither package.json nor an import map lists. */
function* packages(shipment: Shipment, file: string, text: string): Generator<SeenCause> {
  let folder = posix.dirname(file);
  const listOf = (name: string) => shipment.paths.find((path) => path === posix.join(folder, name));
  let found = listOf('package.json') ?? listOf('deno.json');
  while (found === undefined && folder !== '.') {
    folder = posix.dirname(folder);
    found = listOf('package.json') ?? listOf('deno.json');
  }
  if (found === undefined) return;
  let listed: Set<string>;
  try {
    const list = JSON.parse(shipment.text(found) ?? '') as Record<string, unknown>;
    listed = new Set(
      ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies', 'imports'].flatMap((key) =>
        Object.keys((list[key] as object) ?? {}),
      ),
    );
    if (list.workspaces || list.importMap) return;
  } catch {
    return;
  }
  const hasAliases = shipment.paths.some((path) => /tsconfig.*\.json$|vite\.config|webpack/.test(path));
  for (const { 1: name = '', index } of text.matchAll(
    /(?:^|\n)\s*(?:import|export)\b[^\n"']*?\bfrom\s*["']([@\w][^"'\n]*)["']|\brequire\(\s*["']([@\w][^"'\n]*)["']\s*\)/g,
  )) {
    if (name === '' || name.includes(':') || isBuiltin(name) || (hasAliases && /^(?:@\/|~|src\/|app\/)/.test(name)))
      continue;
    const top = name
      .split('/')
      .slice(0, name.startsWith('@') ? 2 : 1)
      .join('/');
    if (listed.has(top) || listed.has(name) || [...listed].some((each) => each.endsWith('/') && name.startsWith(each)))
      continue;
    yield {
      cause: 'module-missing',
      severity: 'warning',
      captured: { module: top },
      at: { file, line: text.slice(0, (index ?? 0) + 1).split('\n').length },
      title: `${file} imports ${top}, which ${found} does not list`,
      fix: `add ${top} to ${found}`,
    };
  }
}
