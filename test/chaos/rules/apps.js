import { bytesOf, markOf } from '../content.js';
import { readZip } from '../zip.js';
import { jsonOf } from './json.js';

/** @typedef {import('../types.ts').Rule} Rule @typedef {import('../types.ts').Plan} Plan */

/** @type {Record<string, Rule>} */
export const appRules = {
  deploy: deployRule,
  package: packageRule,
  'builds-cancel': cancelRule,
  'runs-list': runsRule,
  'apps-read': appsRule,
  invoke: invokeRule,
  logs: logsRule,
};

/**
 * A deploy that is called done has a good build of all files. One that ends early leaves no build behind that goes on
 * without being named.
 * @type {Rule}
 */
function deployRule(plan, step, { before, after, ended, fired }, say) {
  const { coming, isDetached } = /** @type {{ coming: string[], isDetached: boolean }} */ (plan.facts);
  const made = [...after.builds].filter(([id]) => !before.builds.has(id));
  if (after.created - before.created > step.commands.length + 1)
    say(`${after.created - before.created} builds were created`);
  const last = made.at(-1)?.[1];
  for (const { code, stdout, stderr, sent } of ended) {
    const printed = `${stdout.toString('utf8')}\n${stderr}`;
    if (code === 0) {
      if (!last) say('exit code 0 without a build');
      else if (!last.zip) say('exit code 0, but the archive never arrived');
      else {
        checkArchive(plan, last.zip, say);
        if (!isDetached && !['success', 'ready'].includes(last.status)) say(`exit code 0, the build is ${last.status}`);
      }
    }
    if (code === 11 && !/fail|cancel/.test(last?.status ?? '')) say(`exit code 11, the build is ${last?.status}`);
    if (code === 12 && !/^init_/.test(last?.status ?? '')) say(`exit code 12, the build is ${last?.status}`);
    if (code === 8 && coming.length > 1 && !fired.length) say('exit code 8, but the build ends');
    if (sent === 'SIGKILL' || code === 0 || isDetached) continue;
    // A build that goes on is one that the user can find.
    for (const [id, { status, zip }] of made) {
      const isOver = /success|ready|fail|timeout|cancelled/.test(status);
      const answerWasLost = fired.some(({ point }) => point === 'create-app');
      if (!isOver && zip && !printed.includes(id) && !answerWasLost) say(`build ${id} goes on (${status}), unnamed`);
      if (!isOver && sent && /INT|TERM|HUP/.test(sent) && !printed.includes(id) && !answerWasLost) {
        say(`build ${id} is left (${status}) after ${sent}, unnamed`);
      }
    }
  }
}

/** All files are in it, whole, and none that is left out. @param {Plan} plan @param {Buffer} zip @param {import('../types.ts').Say} say */
function checkArchive({ local, kind }, zip, say) {
  const entries = readZip(zip);
  if (typeof entries === 'string') return say(`the archive is broken: ${entries}`);
  const prefix = kind === 'package' ? 'app/' : '';
  const wanted = local.filter(({ path, folder, link }) => path.startsWith(prefix) && !folder && link === undefined);
  for (const { path, content, text } of wanted) {
    const name = path.slice(prefix.length);
    if (name.startsWith('.')) {
      if (entries.has(name)) say(`the archive has ${name}`);
      continue;
    }
    const bytes = content ? bytesOf(content) : Buffer.from(text ?? '');
    const there = entries.get(name);
    if (!there) say(`the archive lacks ${name}`);
    else if (markOf(there) !== markOf(bytes)) say(`the archive has another ${name}`);
  }
}

/** The archive is whole or not there, and everything of the user's is as it was. @type {Rule} */
function packageRule(plan, step, { before, after, ended, archive }, say) {
  const target = 'work/out/out.zip';
  const isDone = ended.every(({ code }) => code === 0);
  for (const path of new Set([...before.disk.keys(), ...after.disk.keys()])) {
    if (!path.startsWith('work/') || path === target) continue;
    const [was, is] = [before.disk.get(path), after.disk.get(path)];
    if (was?.kind === is?.kind && was?.mark === is?.mark) continue;
    if (was === undefined && !isDone) continue;
    const isOwn = plan.local.some((one) => `work/${one.path}` === path);
    if (was && !isOwn && !is) continue;
    say(`${was ? 'changed' : 'left behind'}: ${path}`);
  }
  if (isDone && !archive) say('exit code 0 without an archive');
  const wasReplaced = before.disk.get(target)?.mark !== after.disk.get(target)?.mark;
  if (archive && (isDone || wasReplaced)) checkArchive(plan, archive, say);
  void step;
}

/** @type {Rule} */
function cancelRule(_plan, _step, { before, after, ended }, say) {
  const [was, is] = [before.builds.get('b-1')?.status, after.builds.get('b-1')?.status];
  if (after.builds.get('b-2')?.status !== 'building') say('canceled another build');
  for (const { code, stdout } of ended) {
    if (code === 0 && is !== 'cancelled') say(`exit code 0, the build is ${is}`);
    if (code === 0 && jsonOf(stdout)?.changed && is === was && was !== 'cancelled') say('says it changed something');
  }
}

/** With exit code 0 every run is there, once. @type {Rule} */
function runsRule({ facts }, step, { ended, asked }, say) {
  const { runs, lie } = /** @type {{ runs: string[], lie?: string }} */ (facts);
  if (lie !== 'invented') endsInTime(step, asked, runs.length, say);
  for (const { code, stdout } of ended) {
    if (code !== 0) continue;
    const ids = (jsonOf(stdout) ?? []).map((/** @type {{ id: string }} */ { id }) => id);
    if (new Set(ids).size !== ids.length) say(`lists ${ids.length} runs, ${new Set(ids).size} of them distinct`);
    const missing = runs.filter((id) => !ids.includes(id)).length;
    // What the platform does not give cannot be listed, but then the list is not all.
    if (lie === 'invented' && ids.length > 0) say('exit code 0, although the list had no end');
    if (missing > 0 && lie !== 'invented' && lie !== 'offset-ignored' && lie !== 'token-forever')
      say(`exit code 0, ${missing} of ${runs.length} runs are missing`);
  }
}

/** Where nothing new comes, nobody goes on asking. @param {import('../types.ts').Step} step @param {import('../types.ts').Outcome['asked']} asked @param {number} items @param {import('../types.ts').Say} say */
function endsInTime({ commands }, asked, items, say) {
  const times = asked.filter(({ point }) => ['runs', 'runs-chart', 'logs'].includes(point)).length;
  // Pages of 40 and more, some of them twice; a hundred may be empty, as those behind a filter are.
  const most = commands.length * (150 + 3 * Math.ceil(items / 40));
  if (times > most) say(`asked for ${times} pages of ${items} items`);
}

/** @type {Rule} */
function appsRule({ facts }, _step, { ended }, say) {
  for (const { args, code, stdout } of ended) {
    if (code !== 0) continue;
    const names = args[1] === 'list' ? /** @type {string[]} */ (facts.names) : ['web'];
    const missing = names.find((name) => !stdout.toString('utf8').includes(name));
    if (missing) say(`exit code 0 without ${missing}`);
  }
}

/** A call is carried out at most once. @type {Rule} */
function invokeRule({ facts }, step, { before, after, ended, fired }, say) {
  const times = after.calls - before.calls;
  if (times > step.commands.length) say(`the app was called ${times} times`);
  const wasReplaced = fired.some(({ what }) => /web-page|empty|garbage|nothing-done|redirect|extra|gzip/.test(what));
  for (const { code, stdout } of ended) {
    if (code !== 0) continue;
    if (times === 0 && !wasReplaced) say('exit code 0, but the app was not called');
    if (facts.isAsync || wasReplaced) continue;
    if (!stdout.toString('utf8').includes(String(facts.echo))) say('exit code 0 without the answer');
  }
}

/** @type {Rule} */
function logsRule({ facts }, step, { ended, asked }, say) {
  const lines = /** @type {string[]} */ (facts.lines);
  endsInTime(step, asked, lines.length, say);
  for (const { code, stdout, stderr } of ended) {
    if (code !== 0) continue;
    const shown = stdout.toString('utf8').split('\n').filter(Boolean);
    // What the platform does not give cannot be shown, but then it is said.
    if (facts.lie === 'repeats' && /warning|missing/.test(stderr) && isWithin(shown, lines)) continue;
    if (shown.join('\n') !== lines.join('\n')) say(`exit code 0 with ${shown.length} of ${lines.length} lines`);
  }
}

/** All of them, in order, perhaps with others between them. @param {string[]} some @param {string[]} all */
function isWithin(some, all) {
  let at = -1;
  return some.every((one) => {
    at = all.indexOf(one, at + 1);
    return at >= 0;
  });
}
