import { markOfContent } from '../content.js';
import { jsonOf } from './json.js';

/** @typedef {import('../types.ts').Outcome} Outcome @typedef {import('../types.ts').Copies} Copies */
/** @typedef {import('../types.ts').Say} Say @typedef {import('../types.ts').Target} Target */

/**
 * Whatever happened: a target holds what it held, or one whole content of its source. Nothing else has changed. Who says
 * that all is done has done all; who says that a number of files is done has done as many.
 * @type {import('../types.ts').Rule}
 */
export function copyRules(plan, step, outcome, say) {
  const copies = /** @type {Copies} */ (plan.copies);
  const before = contents(copies.side, outcome.before);
  const after = contents(copies.side, outcome.after);
  const targets = new Map(copies.targets.map((target) => [target.path, target]));
  const wanted = new Map(
    copies.targets.map(({ path, source }) => [
      path,
      source.map((content) => `${markOfContent(content)}:${content.size}`),
    ]),
  );
  const own = new Set(plan.local.map(({ path }) => path));
  const lostPart = outcome.fired.some(({ what }) => what === 'drop-part');
  const isFlipped = outcome.fired.some(({ what }) => what === 'flip');
  const right = (/** @type {string} */ path) =>
    isRight(path, { copies, targets, wanted, before, after }) ||
    (isFlipped && plan.kind === 'cp-across' && isUnproven(copies, path, after));

  for (const path of new Set([...before.keys(), ...after.keys()])) {
    const [was, is] = [before.get(path), after.get(path)];
    if (was === is) continue;
    if (wanted.has(path)) {
      // What the platform itself has made of it is only the client's fault when it is called done.
      if (isMeddled(step, path)) continue;
      if (is === undefined) say(`a target is gone: ${path}`);
      else if (!wanted.get(path)?.includes(is) && !lostPart && !right(path)) say(`a target is torn or mixed: ${path}`);
    } else if (copies.deleted.includes(path) && is === undefined) {
    } else if (copies.side === 'disk' && isOfRun(path, was) && !isAllClean(step, outcome)) {
      // A temporary file of a run that failed, or that went on with one; the clean run has to remove it.
    } else if (copies.side === 'disk' && is === undefined && !own.has(path)) {
      // What an earlier run has left.
    } else if (isMeddled(step, path)) {
    } else say(`${was === undefined ? 'made' : is === undefined ? 'deleted' : 'changed'}: ${path}`);
  }
  if (step.isClean && copies.side === 'disk') {
    for (const path of after.keys()) {
      const isKnown = own.has(path) || wanted.has(path) || path.includes('.moved/');
      if (!isKnown) say(`left behind after a clean run: ${path}`);
    }
  }
  for (const run of outcome.ended) {
    if (run.code === 0 && !(plan.facts.planted && outcome.meddled)) claimsAll(copies, { after, right }, say);
    if (!outcome.meddled) claimsSome(copies, run, right, say);
  }
  takeTurns(copies, step, outcome, say);
  if (step.isClean) cleanRun(plan, copies, outcome, { right, after }, say);
}

/**
 * From volume to volume, several parts have no checksum of the whole file: docs/files.md says it.
 * @param {Copies} copies @param {string} path @param {Map<string, string>} after
 */
function isUnproven({ verified, targets }, path, after) {
  const sizes = targets.find((target) => target.path === path)?.source.map(({ size }) => size) ?? [];
  return !verified && sizes.some((size) => size > smallestPart && after.get(path)?.endsWith(`:${size}`));
}

const smallestPart = 5 * 2 ** 20;

/** @param {string} path @param {string | undefined} was */
function isOfRun(path, was) {
  return was === undefined || /(?:^|\/)\.gantry-[0-9a-f]{16}-\d+$/.test(path);
}

/** @param {import('../types.ts').Step} step @param {Outcome} outcome */
function isAllClean(step, { ended }) {
  return step.isClean || ended.every(({ code }) => code === 0);
}

/** @param {import('../types.ts').Step} step @param {string} path */
function isMeddled({ meddling }, path) {
  return meddling.some((one) => {
    const name = one.path.replace(/^work\//, '');
    return name === path || path.startsWith(`${name}/`) || path.startsWith(`${name}.moved/`);
  });
}

/** @param {Copies} copies @param {{ after: Map<string, string>, right: (path: string) => boolean }} found @param {Say} say */
function claimsAll(copies, { after, right }, say) {
  const wrong = copies.targets.filter(({ path }) => !right(path)).map(({ path }) => path);
  if (wrong.length > 0)
    say(`exit code 0, but ${wrong.length} of ${copies.targets.length} are not there whole: ${wrong[0]}`);
  const kept = copies.deleted.filter((path) => after.has(path));
  if (kept.length > 0) say(`exit code 0, but not deleted: ${kept[0]}`);
}

/** @param {Copies} copies @param {import('../types.ts').Ended} run @param {(path: string) => boolean} right @param {Say} say */
function claimsSome(copies, { stdout, code }, right, say) {
  const said = jsonOf(stdout);
  const summary = said?.error?.details ?? said;
  if (typeof summary?.files !== 'number' || code === null) return;
  const there = copies.targets.filter(({ path }) => right(path)).length;
  if (summary.files > there) say(`says ${summary.files} files are copied, ${there} are`);
  if (code === 1 && said?.error === undefined && (summary.failed ?? []).length === 0)
    say('exit code 1 without a failed file');
}

/**
 * Two commands with the same targets never write at the same time: one waits until the other has ended, or is refused.
 * @param {Copies} copies @param {import('../types.ts').Step} step @param {Outcome} outcome @param {Say} say
 */
function takeTurns({ side }, { commands }, { asked }, say) {
  if (commands.length < 2) return;
  const writing = side === 'volume' ? ['initialize', 'complete', 'rm'] : ['download'];
  const turns = asked.filter(({ point }) => writing.includes(point)).map(({ by }) => by);
  const changes = turns.filter((by, index) => index > 0 && by !== turns[index - 1]).length;
  if (changes > 1) say(`two commands with the same targets were at work at the same time (${turns.join('')})`);
}

/** @param {import('../types.ts').Plan} plan @param {Copies} copies @param {Outcome} outcome @param {{ right: (path: string) => boolean, after: Map<string, string> }} found @param {Say} say */
function cleanRun({ facts }, copies, { ended }, { right, after }, say) {
  const { impossible, targets } = copies;
  const wrong = targets.filter(({ path }) => !impossible.includes(path) && !right(path)).map(({ path }) => path);
  if (wrong.length > 0 && !facts.planted) say(`not right after the clean run: ${wrong[0]}`);
  if (impossible.length > 0 && ended.some(({ code }) => code === 0))
    say(`exit code 0 although ${impossible[0]} cannot be`);
  void after;
}

/**
 * @param {string} path
 * @param {{ copies: Copies, targets: Map<string, Target>, wanted: Map<string, string[]>, before: Map<string, string>, after: Map<string, string> }} found
 */
function isRight(path, { copies, targets, wanted, before, after }) {
  const is = after.get(path);
  if (is === undefined) return false;
  if (wanted.get(path)?.includes(is)) return true;
  if (is !== before.get(path)) return false;
  if (copies.keeps === 'anything') return true;
  const sizes = targets.get(path)?.source.map(({ size }) => size) ?? [];
  return copies.keeps === 'same-size' && sizes.includes(Number(is.slice(is.indexOf(':') + 1)));
}

/** Marks and sizes by path, of files only. @param {'volume' | 'disk'} side @param {import('../types.ts').State} state @returns {Map<string, string>} */
function contents(side, { volume, disk }) {
  if (side === 'volume') return new Map([...volume].map(([path, { mark, size }]) => [path, `${mark}:${size}`]));
  const files = [...disk].filter(([path, { kind }]) => path.startsWith('work/') && kind !== 'folder');
  const told = (/** @type {import('../types.ts').DiskEntry} */ { kind, mark, size }) =>
    kind === 'link' ? `-> ${mark}` : `${mark}:${size}`;
  return new Map(files.map(([path, entry]) => [path.slice('work/'.length), told(entry)]));
}
