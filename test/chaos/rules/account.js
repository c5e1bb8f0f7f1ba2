import { jsonOf } from './json.js';

/** @typedef {import('../types.ts').Rule} Rule */

/** @type {Record<string, Rule>} */
export const accountRules = { grants: grantsRule, secrets: secretsRule };

/** Nobody loses access without being asked. @type {Rule} */
function grantsRule({ facts }, _step, { before, after, ended }, say) {
  const wanted = /** @type {string[]} */ (facts.after);
  const [was, is] = [before.grants.get('sa-1') ?? [], after.grants.get('sa-1') ?? []];
  const mayLose = /** @type {string[]} */ (facts.before).filter((id) => !wanted.includes(id));
  for (const id of was) if (!is.includes(id) && !mayLose.includes(id)) say(`${id} has lost its access`);
  for (const id of is) if (!was.includes(id) && !wanted.includes(id)) say(`${id} was given access`);
  if (String(after.grants.get('sa-2')) !== String(before.grants.get('sa-2'))) say('changed another account');
  if (!facts.isCertain && was.length > 0 && String(was) !== String(is)) say('changed grants that it cannot know');
  for (const { code, stdout } of ended) {
    const isAsAsked = [...is].sort().join() === [...wanted].sort().join();
    if (code === 0 && !isAsAsked) say(`exit code 0, the grants are ${is.join(', ')}`);
    if (code === 0 && jsonOf(stdout)?.changed && String(was) === String(is)) say('says it changed the grants');
  }
}

/** The others keep their values. @type {Rule} */
function secretsRule({ facts }, _step, { before, after, ended }, say) {
  const wanted = /** @type {Record<string, string>} */ (facts.after);
  for (const name of new Set([...Object.keys(before.secrets), ...Object.keys(after.secrets)])) {
    const [was, is] = [before.secrets[name], after.secrets[name]];
    if (was !== is && is !== wanted[name]) say(`the secret ${name} was changed`);
  }
  for (const { code } of ended) {
    const isAsAsked = Object.entries(wanted).every(([name, value]) => after.secrets[name] === value);
    if (code === 0 && !isAsAsked) say('exit code 0, but the secrets are not as asked');
  }
}
