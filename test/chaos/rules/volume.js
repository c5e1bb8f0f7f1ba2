import { bytesOf } from '../content.js';
import { jsonOf } from './json.js';

/** @typedef {import('../types.ts').Rule} Rule */

/** @type {Record<string, Rule>} */
export const volumeRules = {
  rm: removeRule,
  'read-ls': listRule,
  'read-du': usageRule,
  'read-cat': printRule,
  'read-cp-out': printRule,
};

/** Only what was named is gone, and what is called removed is gone. @type {Rule} */
function removeRule({ facts }, step, { before, after, ended }, say) {
  const gone = /** @type {string[]} */ (facts.gone);
  for (const path of before.volume.keys()) {
    if (!after.volume.has(path) && !gone.includes(path)) say(`removed without being asked: ${path}`);
  }
  for (const [path, { mark }] of after.volume) if (before.volume.get(path)?.mark !== mark) say(`changed: ${path}`);
  const left = gone.filter((path) => after.volume.has(path));
  for (const { code, stdout } of ended) {
    if (code === 0 && left.length > 0) say(`exit code 0, but not removed: ${left[0]}`);
    const said = jsonOf(stdout);
    const named = Array.isArray(said) ? said.filter(({ removed }) => removed).map(({ path }) => path) : [];
    for (const path of [...named, ...(said?.error?.details?.removed ?? [])]) {
      const bare = String(path).replace(/^default:/, '');
      const isLeft = left.some((one) => one === bare || (bare.endsWith('/') && one.startsWith(bare)));
      if (isLeft) say(`says it removed ${path}, which is still there`);
    }
    // Where one of the paths is gone already nothing is removed.
    const wasThere = gone.every((path) => before.volume.has(path));
    if (step.isClean && wasThere && left.length > 0) say(`not removed by the clean run: ${left[0]}`);
  }
}

/** @type {Rule} */
function listRule(_plan, _step, { after, ended }, say) {
  for (const { code, stdout } of ended) {
    if (code !== 0) continue;
    const listed = (jsonOf(stdout) ?? []).filter((/** @type {any} */ entry) => !entry.isFolder);
    const paths = new Set(listed.map((/** @type {any} */ { path }) => String(path).replace(/^default:/, '')));
    const missing = [...after.volume.keys()].find((path) => path.startsWith('/d/') && !paths.has(path));
    if (missing !== undefined) say(`exit code 0, but not listed: ${missing}`);
    if (paths.size !== after.volume.size) say(`lists ${paths.size} files of ${after.volume.size}`);
  }
}

/** @type {Rule} */
function usageRule(_plan, _step, { after, ended }, say) {
  const bytes = [...after.volume.values()].reduce((sum, { size }) => sum + size, 0);
  for (const { code, stdout } of ended) {
    if (code !== 0) continue;
    const said = jsonOf(stdout) ?? {};
    if (said.bytes !== bytes || said.files !== after.volume.size) say(`says ${said.files} files, ${said.bytes} bytes`);
  }
}

/** What went to stdout is the beginning of what was asked for; with exit code 0, all of it. @type {Rule} */
function printRule({ facts }, { commands }, { ended, fired }, say) {
  // Damage shows only at the end, when it is printed already: then the exit code tells.
  const isFlipped = fired.some(({ what }) => what === 'flip');
  const whole = Buffer.concat(/** @type {import('../types.ts').Content[]} */ (facts.shown).map(bytesOf));
  for (const [index, { code, stdout }] of ended.entries()) {
    if (commands[index]?.stdout === 'full') {
      if (code === 0 && whole.length > 0) say('exit code 0, although nothing could be written to stdout');
    } else if (code === 0 && !stdout.equals(whole)) say('exit code 0, but other bytes were printed');
    else if (!isFlipped && !whole.subarray(0, stdout.length).equals(stdout))
      say('printed bytes that are not in the file');
  }
}
