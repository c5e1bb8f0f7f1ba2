import { drawSteps } from './steps.js';
import { drawContent, drawTree, foldersAbove, longAgo } from './trees.js';

/** @typedef {import('../draw.js').Draw} Draw @typedef {import('../types.ts').Plan} Plan */

/** rm of files and folders. @param {Draw} draw @returns {Partial<Plan>} */
export function remove(draw) {
  const files = drawTree(draw, { most: 6, large: 0 });
  const volume = files.map(({ path, ...rest }) => ({ path: `/${path}`, ...rest, etag: /** @type {const} */ ('md5') }));
  const folders = [...new Set(volume.flatMap(({ path }) => foldersAbove(path)))];
  const json = draw.chance(0.5) ? ['--json'] : [];
  const takesFolder = folders.length > 0 && draw.chance(0.4);
  const chosen = takesFolder ? [draw.pick(folders)] : [...new Set([draw.pick(volume).path, draw.pick(volume).path])];
  // In a pattern these mean something else.
  const plain = chosen.map((path) => path.replace(/[\\*?[\]{}!]/g, '\\$&'));
  const args = takesFolder
    ? ['rm', '-r', ...json, '--confirm', ...plain, ...plain]
    : ['rm', ...json, '--yes', ...plain];
  const gone = (/** @type {string} */ path) => (takesFolder ? path.startsWith(`${chosen[0]}/`) : chosen.includes(path));
  return {
    kind: 'rm',
    volume,
    steps: drawSteps(draw, { command: { args }, points: ['ls', 'rm', 'rm', 'rm'] }),
    facts: { gone: volume.map(({ path }) => path).filter(gone), chosen },
  };
}

/** ls, volumes usage and cat. @param {Draw} draw @returns {Partial<Plan>} */
export function read(draw) {
  const files = drawTree(draw, { most: 6, large: 0.03 });
  const volume = files.map(({ path, ...rest }) => ({
    path: `/d/${path}`,
    ...rest,
    etag: /** @type {const} */ ('md5'),
  }));
  const [one, other] = [draw.pick(volume), draw.pick(volume)];
  const form = draw.pick(/** @type {const} */ (['ls', 'usage', 'cat', 'cat', 'cp-out']));
  const args = {
    ls: ['ls', '-R', '--json', '/d'],
    usage: ['volumes', 'usage', '--json', '/d'],
    cat: ['cat', one.path, other.path],
    'cp-out': ['cp', `:${one.path}`, '-'],
  }[form];
  const full = form !== 'usage' && draw.chance(0.08) ? { stdout: /** @type {const} */ ('full') } : {};
  const steps = drawSteps(draw, {
    command: { args },
    points: form === 'ls' || form === 'usage' ? ['ls'] : ['ls', 'download', 'get', 'get'],
  });
  if (full.stdout && steps[0]) steps[0].commands = steps[0].commands.map((command) => ({ ...command, ...full }));
  const shown = { ls: [], usage: [], cat: [one.content, other.content], 'cp-out': [one.content] }[form];
  return { kind: `read-${form}`, volume, steps, facts: { form, shown } };
}

/** cp of stdin. @param {Draw} draw @returns {Partial<Plan>} */
export function copyStdin(draw) {
  const content = drawContent(draw, { isLarge: draw.chance(0.05) });
  const flags = draw.chance(0.5) ? ['--json'] : [];
  return {
    kind: 'cp-stdin',
    volume: [{ path: '/dst/other', content: drawContent(draw), modified: longAgo, etag: 'md5' }],
    steps: drawSteps(draw, {
      command: { args: ['cp', ...flags, '-', ':/dst/in put'], stdin: content },
      points: ['initialize', 'put', 'complete', 'complete'],
    }),
    copies: {
      side: 'volume',
      targets: [{ path: '/dst/in put', source: [content] }],
      keeps: 'nothing',
      deleted: [],
      verified: false,
      impossible: [],
    },
  };
}
