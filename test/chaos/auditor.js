import { areSurvivable, hadUnreadable } from './faults.js';
import { rules } from './rules/index.js';

/** @typedef {import('./types.ts').Plan} Plan @typedef {import('./types.ts').Step} Step */
/** @typedef {import('./types.ts').Outcome} Outcome @typedef {import('./types.ts').Ended} Ended */
/** @typedef {import('./types.ts').Say} Say */

/** Every exit code that is documented. */
const documented = new Set([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 69, 70, 75, 130, 143]);

/**
 * What is wrong with what a plan came to. It knows the disk, the store of the platform and what was printed, and none of
 * the code that it judges.
 * @param {Plan} plan @param {Outcome[]} outcomes @param {readonly string[]} tokens @returns {string[]}
 */
export function audit(plan, outcomes, tokens) {
  /** @type {string[]} */
  const findings = [];
  for (const [index, outcome] of outcomes.entries()) {
    const step = plan.steps[index];
    if (!step) continue;
    /** @type {Say} */
    const say = (text) => findings.push(`step ${index + 1}: ${text}`);
    auditEnds(plan, step, outcome, say);
    auditSecrets(plan, outcome, tokens, say);
    auditFolders(outcome, say);
    for (const violation of new Set(outcome.violations)) say(`request: ${violation}`);
    rules(plan, step, outcome, say);
  }
  return findings;
}

/** @param {Plan} plan @param {Step} step @param {Outcome} outcome @param {Say} say */
function auditEnds(plan, step, outcome, say) {
  const isDouble = step.commands.length > 1;
  for (const [index, run] of outcome.ended.entries()) {
    const command = step.commands[index];
    const { code, signal, sent } = run;
    if (run.isLate) {
      say(`did not end within 60 s: ${run.args.join(' ')}`);
      continue;
    }
    if (code === null) {
      // A signal may come before the program listens or after it has ended: a shell calls that 130 or 143, too.
      if (signal !== sent) say(`ended by ${signal}`);
      else if (sent !== 'SIGKILL')
        for (const path of leftBehind(plan, outcome)) say(`${sent} ended it, and left ${path}`);
      continue;
    }
    const expected = expectedCodes(plan, outcome);
    const anyway = [0, 1, 7, 69, 129, 130, 143, ...(expected ?? [...documented])];
    if (/SIG(INT|TERM|HUP)/.test(sent ?? '') && outcome.fired.length === 0 && !anyway.includes(code)) {
      say(`exit code ${code} after ${sent}`);
    }
    if (sent === 'SIGINT' && code === 143) say('exit code 143 after SIGINT');
    if (sent === 'SIGTERM' && code === 130) say('exit code 130 after SIGTERM');
    if (sent === undefined && (code === 130 || code === 143)) say(`exit code ${code} without a signal`);
    if (!documented.has(code) && !(code === 129 && sent === 'SIGHUP')) say(`exit code ${code} is not documented`);
    if (code === 70 && !hadUnreadable(outcome.fired) && !plan.world.runsLie)
      say(`exit code 70: ${firstLine(run.stderr)}`);
    if (/a bug in gantry|unexpected exception/.test(run.stderr)) say(`blames itself: ${firstLine(run.stderr)}`);
    if (!run.args.includes('--debug') && /^\s+at .*\(?.*:\d+:\d+\)?$/m.test(run.stderr))
      say(`prints a stack: ${firstLine(run.stderr)}`);
    const isUndisturbed = !outcome.ended.some((one) => one.sent) && !isLimited(step) && !outcome.meddled;
    const isEasy = isUndisturbed && (step.isClean || (!plan.diskKiB && areSurvivable(outcome.fired)));
    // Of two at the same time one may be refused.
    const allowed = expected && isDouble ? [...expected, 7] : expected;
    if (isEasy && isDouble && allRefused(outcome)) say('each of two commands was refused for the other one');
    if (isEasy && allowed && !allowed.includes(code)) {
      const why = step.isClean
        ? 'nothing went wrong'
        : `only ${outcome.fired.map(({ what, point }) => `${what} at ${point}`).join(', ') || 'nothing'} went wrong`;
      say(`exit code ${code} although ${why}: ${firstLine(run.stderr)}`);
    }
    if (command?.stdout !== 'full') auditJson(run, say);
  }
}

/** @param {Step} step */
function isLimited({ commands }) {
  return commands.some(({ fileLimit, stdout }) => fileLimit || stdout);
}

/** @param {Outcome} outcome */
function allRefused({ ended }) {
  return ended.every(({ code }) => code === 7);
}

/** New files that are none of the user's. @param {Plan} plan @param {Outcome} outcome */
function leftBehind({ copies }, { before, after }) {
  const targets = new Set(copies?.targets.map(({ path }) => `work/${path}`));
  return [...after.disk]
    .filter(([path, { kind }]) => /^(work|tmp)\//.test(path) && kind !== 'folder' && !before.disk.has(path))
    .map(([path]) => path)
    .filter((path) => !targets.has(path) && path !== 'work/out/out.zip' && !path.includes('.moved/'));
}

/** The codes that a command ends with when nothing goes wrong; undefined: the rules of its kind say. @param {Plan} plan @param {Outcome} outcome */
function expectedCodes({ kind, copies, facts }, { before }) {
  if (copies) return copies.impossible.length > 0 || facts.planted ? undefined : [0];
  const { coming, isDetached, status, grantForm, isCertain, isAsync, chosen = [] } = /** @type {any} */ (facts);
  // An earlier run may have removed it already.
  const isThere = (/** @type {string} */ path) =>
    [...before.volume.keys()].some((one) => `${one}/`.startsWith(`${path}/`));
  if (kind === 'rm') return chosen.every(isThere) ? [0] : [6];
  if (kind === 'deploy' && isDetached) return [0];
  if (kind === 'deploy') {
    const last = coming.at(-1);
    if (['success', 'ready'].includes(last)) return [0];
    if (/^init_/.test(last)) return [12];
    // On a busy machine the time may be over before there is a build.
    return last === 'building' ? [8, 69] : [11];
  }
  if (kind === 'builds-cancel') return status === 'success' ? [7] : [0];
  if (kind === 'grants') return grantForm === 'odd' || !isCertain ? undefined : [0];
  if (kind === 'invoke' && !isAsync) return status < 400 ? [0] : undefined;
  if (kind === 'runs-list') return facts.lie ? undefined : [0];
  if (kind === 'logs' && facts.lie) return undefined;
  if (kind === 'apps-read' || kind === 'dry-run') return [0];
  return [0];
}

/** With --json there is one document on stdout, whatever happened; with --events each line is one. @param {Ended} run @param {Say} say */
function auditJson({ args, code, stdout, sent }, say) {
  if (sent || code === null) return;
  const text = stdout.toString('utf8');
  if (args.some((word) => /^--json/.test(word))) {
    if (!isJson(text)) say(`stdout with --json is not one JSON document: ${JSON.stringify(text.slice(0, 80))}`);
  } else if (args.includes('--events')) {
    const bad = text.split('\n').find((line) => line !== '' && !isJson(line));
    if (bad !== undefined) say(`a line of --events is not JSON: ${bad.slice(0, 80)}`);
  }
}

/** @param {string} text */
function isJson(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** @param {Plan} plan @param {Outcome} outcome @param {readonly string[]} tokens @param {Say} say */
function auditSecrets({ secrets }, { ended, signatures }, tokens, say) {
  const parts = tokens.flatMap((token) => [token, token.slice(token.lastIndexOf('.') + 1)]);
  const hidden = [...parts, ...signatures, ...secrets];
  for (const { stdout, stderr, args } of ended) {
    const text = `${stdout.toString('utf8')}\n${stderr}`;
    const leak = hidden.find((secret) => text.includes(secret));
    if (!leak) continue;
    const what = parts.includes(leak) ? 'the token' : signatures.includes(leak) ? 'a signature' : 'a secret';
    say(`prints ${what}: ${args.join(' ')}`);
  }
}

/** What lies outside of the work folder. @param {Outcome} outcome @param {Say} say */
function auditFolders({ before, after, ended }, say) {
  for (const path of new Set([...before.disk.keys(), ...after.disk.keys()])) {
    const [was, is] = [before.disk.get(path), after.disk.get(path)];
    const isSame = was?.kind === is?.kind && was?.mark === is?.mark;
    if (/^(outside|home)(\/|$)/.test(path) && !isSame) say(`changed outside of the work folder: ${path}`);
  }
  const wasKilled = ended.some(({ code, sent }) => code === null && sent !== 'SIGINT' && sent !== 'SIGTERM');
  for (const [path, { kind, mode }] of after.disk) {
    if (path.startsWith('tmp/') && !wasKilled && !before.disk.has(path)) say(`left in the temporary folder: ${path}`);
    if (path.startsWith('config/') && kind === 'file' && (mode & 0o077) !== 0) {
      say(`${path} can be read by others: ${(mode & 0o777).toString(8)}`);
    }
  }
}

/** @param {string} text */
function firstLine(text) {
  const lines = text.split('\n').map((line) => line.trim());
  return (lines.find((line) => line.startsWith('error:')) ?? lines.find(Boolean) ?? '').slice(0, 200);
}
