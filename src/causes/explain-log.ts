import { fixedInDockerfile, stepOf } from './dockerfile-fix.ts';
import { type Explanation, evidenceOf, type SearchedLine } from './explanation.ts';
import { fill } from './fill.ts';
import { packageOf } from './import-names.ts';
import { explainLastError } from './last-error.ts';
import { cleanLines } from './log-text.ts';
import { debianPackageOf, debianPackageOfHeader } from './program-packages.ts';
import { refine } from './refine.ts';
import { crashed, endsWell, goesOnSince, relevantLines } from './relevant-lines.ts';
import type { Captured, FailureFacts, FailureRule } from './rule.ts';
import { rules } from './rules/index.ts';
import { mayMatch } from './sign-words.ts';
import { findTracebacks, findUncaught, isForeignFile, lastFile, lastTraceback } from './tracebacks.ts';
import { errorsIn } from './unknown-failure.ts';

/** The cause that best explains a failure; undefined if no rule knows it. */
export function explainLog(log: string, facts: FailureFacts = {}): Explanation | undefined {
  const all = cleanLines(log).map((line): SearchedLine => ({ ...line, source: 'log' }));
  if (!hasFailed(facts) && endsWell(all)) return undefined;
  const since = hasFailed(facts) ? undefined : goesOnSince(all);
  // An error that the app recovered from is not the cause.
  const lines = [...factLines(facts), ...relevantLines(all.slice(since ?? 0))];
  const best = bestMatch(lines, facts);
  const raised = raisedBefore(best, lines, facts);
  if (best === undefined || raised) return raised && fixedInDockerfile(raised, facts.config);
  const before = lines.slice(Math.max(0, best.at - maxDistance), best.at).map(({ text }) => text);
  const texts = lines.map(({ text }) => text);
  // BuildKit shows the step that failed below what that printed.
  const step = stepOf(texts.slice(0, best.at + 1)) ?? stepOf(texts.slice(best.at + 1).reverse());
  const factsAndHints = withHints(facts, lines.slice(best.at + 1));
  return fixedInDockerfile(
    refine({ ...toExplanation(best), step }, best.captured, factsAndHints, before),
    facts.config,
  );
}

/** That a process ended, or was not ready, follows from what was raised. */
function raisedBefore(best: Match | undefined, lines: readonly SearchedLine[], { sent }: FailureFacts) {
  const isEnd = best === undefined || /^(?:app-exited|start-timeout)$/.test(best.rule.cause);
  return isEnd ? explainLastError(lines, sent, best !== undefined) : undefined;
}

/** Causes of a start that nothing ends but its time limit: the app runs, and the platform does not reach it. */
const unreached = new Set(['wrong-port', 'bound-to-localhost', 'not-listening', 'health-check-failed']);
/** What a server answers to its check while it loads. */
const loading = /" 503\b/;

/** Why a build that is in progress will not get ready; undefined if its log does not show that by now. */
export function explainStart(log: string, facts: Pick<FailureFacts, 'config' | 'status'>): Explanation | undefined {
  const explanation = explainLog(log, { ...facts, source: 'build' });
  return explanation && unreached.has(explanation.cause) && !loading.test(explanation.evidence.text)
    ? explanation
    : undefined;
}

/** The emulator says below what a program printed why that may be. */
function withHints(facts: FailureFacts, below: readonly SearchedLine[]): FailureFacts {
  const hints = below.map(({ text }) => text).filter((text) => text.startsWith('hint: '));
  return hints.length === 0 ? facts : { ...facts, reason: [facts.reason ?? '', ...hints].join('\n') };
}

/** The best of the rules' matches. */
function bestMatch(lines: readonly SearchedLine[], facts: FailureFacts): Match | undefined {
  const whole = lines.map(({ text }) => text).join('\n');
  const isPassed = hasFailed(facts) ? () => false : passedIn(lines.map(({ text }) => text));
  return rules
    .filter(({ only }) => only === undefined || facts.source === undefined || only === facts.source)
    .flatMap((rule) => lastMatch(rule, lines, whole, facts) ?? [])
    .filter((match) => !isPassed(match) && !(match.rule.first && isConsequence(match, lines)))
    .reduce<Match | undefined>((best, other) => (best && !isBetter(other, best) ? best : other), undefined);
}

/** Whether the work went on after a line: something later than it is what failed. */
function passedIn(texts: readonly string[]): (match: Match) => boolean {
  const killed = texts.findLastIndex((text) => /(?:^|\s)Killed(?:\s|$)|OOMKilled(?!"?: ?false)/.test(text));
  const raised = Math.max(lastTraceback(texts)?.start ?? -1, findUncaught(texts)?.at ?? -1);
  const tracebacks = findTracebacks(texts);
  return (match) => {
    const { at, line, rule } = match;
    if (line.source !== 'log' || rankOf(rule) >= ranks.decisive) return false;
    return at < failedAt(match, raised, killed) && !tracebacks.some(({ start, end }) => at >= start && at <= end);
  };
}

/** Up to which line one is excused by what failed later. Right above an exception, it may be the cause of that. */
function failedAt({ line: { text }, rule }: Match, raised: number, killed: number): number {
  if (isMild(text)) return Math.max(raised, killed);
  const excused = rankOf(rule) < ranks.cause ? raised : raised - 3;
  return told.test(text) ? Math.max(excused, killed) : excused;
}

/** From which ranks on a rule shows more than what follows from a cause, and shows what nothing later excuses. */
const ranks = { cause: 3, decisive: 6 };

/** Whether something else failed, or a program ended: the lines of a rule itself are no other failure. */
function isConsequence({ rule, line }: Match, lines: readonly SearchedLine[]): boolean {
  // What the platform says did happen: only what the app raised explains it.
  if (line.source !== 'log') return explainLastError(lines) !== undefined;
  const others = lines.filter(({ text, source }) => source === 'log' && !rule.signs.some((sign) => sign.test(text)));
  const texts = others.map(({ text }) => text);
  return errorsIn(texts).length > 0 || texts.some((text) => crashed.test(text));
}

/** A line without a word of failure. */
const told = /^(?!.*(?:error|exception|fail|cannot|denied|refused|missing|\bno\b|\bnot\b))/i;
/** A warning; glog has only its letter. */
const isMild = (text: string) => warning.test(text) || informs.test(text);
const warning = /warn|(?:^|: )W (?:tensorflow|external)\/|^W\d{4} /i;

function hasFailed({ status, exitCode, reason }: FailureFacts): boolean {
  return status !== undefined || reason !== undefined || Boolean(exitCode);
}

interface Match {
  rule: FailureRule;
  captured: Captured;
  /** In the lines that were searched. */
  at: number;
  line: SearchedLine;
}

/** What the platform says, as lines before the log: of two lines that show the same, the log's is the evidence. */
function factLines({ reason, status, statusCode, exitCode }: FailureFacts): SearchedLine[] {
  const said = (source: SearchedLine['source'], ...texts: string[]) =>
    texts.map((text) => ({ source, number: 0, text }));
  return [
    ...(status === undefined ? [] : said('status', `status ${status}`)),
    ...(statusCode ? said('status', `status code ${statusCode}`) : []),
    ...(exitCode ? said('exit code', `exit code ${exitCode}`) : []),
    ...(reason ? said('reason', ...cleanLines(reason).map(({ text }) => text)) : []),
  ];
}

/** The last line that shows the cause, unless the work went on after it. */
function lastMatch(
  rule: FailureRule,
  lines: readonly SearchedLine[],
  whole: string,
  facts: FailureFacts,
): Match | undefined {
  const signs = rule.signs.filter((sign) => mayMatch(sign, whole));
  if (signs.length === 0) return undefined;
  for (let at = lines.length - 1; at >= 0; at--) {
    const line = lines[at] as SearchedLine;
    if (rule.undoneBy?.test(line.text)) return undefined;
    const captured = capture(signs, line.text);
    const before = () => lines.slice(Math.max(0, at - maxDistance), at).map(({ text }) => text);
    if (!captured || !isBelow(rule, before, lines.slice(at, at + 2))) continue;
    const named = withBuilt(withCheck(withPackage(captured), facts), rule, lines.slice(0, at));
    if (rule.applies?.(named, facts, before) ?? true) return { rule, captured: named, at, line };
  }
  return undefined;
}

/** A command as somebody typed it: what it asks for did not happen. */
const typed = /^(?:[\w.@~:/[\]-]{0,60}[$#] |PS [A-Z]:\S{0,100}> )(?=[a-z./])/;

/** A download that failed: what is missing in the next lines follows from it. */
const notFetched =
  /^(?:curl: \(\d{1,2}\) |wget: (?:unable|can't|server)|(?:Resolving|Connecting) .{1,160}failed: |fatal: unable to access |E: (?:Failed to fetch|Unable to fetch some) )/;

/** Whether the lines above are as the rule wants them. */
function isBelow(
  { after, own }: FailureRule,
  before: () => readonly string[],
  found: readonly SearchedLine[],
): boolean {
  if (after && !before().some((line) => after.test(line))) return false;
  const fails = (line = '') => notFetched.test(line);
  if (!fails(found[0]?.text) && before().slice(-3).some(fails)) return false;
  // Rust names the place below its message.
  const texts = found.map(({ text }) => text).filter((text, at) => at === 0 || /^\s{0,8}--> /.test(text));
  return !own || !isForeignFile(lastFile([...before(), ...texts]));
}

function capture(signs: readonly RegExp[], text: string): Captured | undefined {
  for (const sign of signs) {
    const match = mayMatch(sign, text) ? sign.exec(text) : null;
    if (match) return typed.test(text) ? undefined : (match.groups ?? {});
  }
  return undefined;
}

/** How many lines above a sign belong to it. */
const maxDistance = 40;

/** A module, a header or a library is installed by the package that contains it. */
function withPackage(captured: Captured): Captured {
  const { module, library = '', header, package: given } = captured;
  const debian = header === undefined ? debianPackageOf(library) : debianPackageOfHeader(header);
  const owner = module === undefined ? debian : packageOf(module);
  return given === undefined && owner ? { ...captured, package: owner } : captured;
}

/** The setting of the check that failed. The emulator asks for the ready check, if there is one. */
function withCheck(captured: Captured, { config }: FailureFacts): Captured {
  const { path, probe } = captured;
  const { readycheck_endpoint: ready } = config?.custom ?? {};
  return ready && (path === ready || probe === 'Readiness') ? { ...captured, check: 'readycheck' } : captured;
}

/** The package that pip builds. */
function withBuilt(captured: Captured, { title }: FailureRule, before: readonly SearchedLine[]): Captured {
  if (!title.includes('{built')) return captured;
  const builds = before.map(({ text }) =>
    /(?:Building wheel for|Running setup\.py \w{1,20} for) ([\w.-]{1,60})/.exec(text),
  );
  const [, built] = builds.findLast((match) => match !== null) ?? [];
  return built === undefined ? captured : { ...captured, built };
}

/** What ends the work comes last; what follows from a cause has a lower rank. */
function isBetter(a: Match, b: Match): boolean {
  return (rankOfMatch(a) - rankOfMatch(b) || a.at - b.at) > 0;
}

/** A line that its logger takes for no problem shows a cause only where no other line does. */
const rankOfMatch = ({ rule, line }: Match): number =>
  informs.test(line.text) ? Math.min(rankOf(rule), ranks.cause - 1) : rankOf(rule);

const informs = /^(?:\[[^\]]{1,40}\] ){0,2}\[?(?:INFO|DEBUG)\b/;

const rankOf = ({ rank = 4 }: FailureRule): number => rank;

function toExplanation({ rule, captured, line }: Match): Explanation {
  return {
    cause: rule.cause,
    title: fill(rule.title, captured),
    isGeneral: fill(rule.title, {}) === fill(rule.title, captured),
    evidence: evidenceOf(line),
    fix: fill(rule.fix, captured),
    setting: rule.at && fill(rule.at, captured),
    next: rule.next?.map((word) => fill(word, captured)),
  };
}
