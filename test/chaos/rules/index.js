import { accountRules } from './account.js';
import { appRules } from './apps.js';
import { copyRules } from './copies.js';
import { volumeRules } from './volume.js';

/** @type {Record<string, import('../types.ts').Rule>} */
const byKind = { ...appRules, ...accountRules, ...volumeRules };

/** What has to hold for a kind of command, beside what holds for all. @type {import('../types.ts').Rule} */
export function rules(plan, step, outcome, say) {
  if (plan.copies) copyRules(plan, step, outcome, say);
  byKind[plan.kind]?.(plan, step, outcome, say);
  if (!plan.copies && plan.kind !== 'package') nothingWritten(outcome, say);
  if (plan.kind !== 'rm' && plan.copies?.side !== 'volume') volumeUntouched(outcome, say);
}

/** @param {import('../types.ts').Outcome} outcome @param {import('../types.ts').Say} say */
function nothingWritten({ before, after }, say) {
  for (const path of new Set([...before.disk.keys(), ...after.disk.keys()])) {
    if (!path.startsWith('work/')) continue;
    const [was, is] = [before.disk.get(path), after.disk.get(path)];
    if (was?.kind !== is?.kind || was?.mark !== is?.mark) say(`changed in the work folder: ${path}`);
  }
}

/** @param {import('../types.ts').Outcome} outcome @param {import('../types.ts').Say} say */
function volumeUntouched({ before, after, meddled }, say) {
  if (meddled) return;
  for (const path of new Set([...before.volume.keys(), ...after.volume.keys()])) {
    if (before.volume.get(path)?.mark !== after.volume.get(path)?.mark) say(`changed on the volume: ${path}`);
  }
}
