import { Draw } from '../draw.js';
import { grants, secrets } from './account.js';
import { cancelBuild, deploy, dryRun, invoke, listRuns, logs, pack, readApps } from './apps.js';
import { copyAcross, copyDown, copyUp, syncDown, syncUp } from './copies.js';
import { copyStdin, read, remove } from './volume.js';

/** @typedef {import('../types.ts').Plan} Plan */

/** Kinds of plans by weight: what users trust us with most comes most often. */
const kinds = /** @type {const} */ ([
  [18, copyUp],
  [22, copyDown],
  [2, copyAcross],
  [8, syncUp],
  [8, syncDown],
  [7, remove],
  [4, read],
  [2, copyStdin],
  [14, deploy],
  [2, dryRun],
  [3, pack],
  [3, cancelBuild],
  [5, listRuns],
  [3, readApps],
  [3, invoke],
  [3, logs],
  [4, grants],
  [3, secrets],
]);

/** What a seed stands for. @param {number} seed @param {RegExp} [only] names of kinds @returns {Plan} */
export function drawPlan(seed, only) {
  const draw = new Draw(seed);
  const wanted = only ? kinds.filter(([, kind]) => only.test(kind.name)) : kinds;
  const drawn = draw.weighted(wanted)(draw);
  const style = {
    slash: draw.chance(0.3),
    missing: draw.chance(0.5) ? /** @type {const} */ ('empty') : /** @type {const} */ ('404'),
  };
  return {
    kind: '',
    local: [],
    outside: [],
    volume: [],
    region: 'us-east-1',
    env: {},
    facts: {},
    secrets: [],
    steps: [],
    ...drawn,
    world: { style, ...drawn.world },
  };
}
