import { resolve } from 'node:path';
import { after } from '../clock.ts';
import { type Fix, withCommands, withFixCommands } from '../command-line.ts';
import type { Problem } from '../errors.ts';
import { words } from '../words.ts';
import { type AnnotationRoots, problemText, workflowAnnotation } from './failure.ts';
import { duration, size } from './format.ts';
import type { Page, Stream, View } from './page.ts';
import { sanitize } from './sanitize.ts';
import { wrapText } from './wrap-text.ts';

export type Progress = ReturnType<typeof createProgress>;

/** What the line of an event has as its type: of a deploy, a build or a run, of copied files, and of `gantry dev`. */
export const eventTypes = words('created uploaded started status log canceled file', 'request reload problem');

export type Step = ReturnType<Progress['step']>;

/** Returns what is called before each line: of those that come at once, all but the first are written at once. */
function writesTogether(stream: Stream): () => void {
  let lines = 0;
  return () => {
    if (lines === 0) {
      queueMicrotask(() => {
        if (lines > 1) stream.uncork?.();
        lines = 0;
      });
    }
    if (++lines === 2) stream.cork?.();
  };
}

interface ProgressOptions {
  stderr: Stream;
  page: Page;
  quiet: boolean;
  /** Set if problems are also written as workflow annotations. */
  annotations: AnnotationRoots | undefined;
  elapsed: () => number;
  /** Gets each warning. */
  warned?: Problem[] | undefined;
}

const milestoneIntervalMs = 10_000;
/** Without a terminal, a step that takes longer is announced before it ends. */
const announceAfterMs = 1_000;
const animateAfterMs = 100;
/** An animation whose text is older shows for how long the step has run. */
const stillMs = 2_000;

/** Shows steps as animations on a terminal, and as occasional lines elsewhere. */
export function createProgress(options: ProgressOptions) {
  const { stderr, page, quiet, annotations, warned } = options;
  const writeTogether = writesTogether(stderr);
  let spinner: ReturnType<typeof startSpinner> | undefined;
  let dropAnnouncement = () => {};
  let lender: ((print: () => void) => void) | undefined;
  const print = (text: string) => {
    const write = () => void stderr.write(`${text}\n`);
    if (lender) return lender(write);
    spinner?.hide();
    write();
    spinner?.show();
  };
  // Sanitized before it is wrapped: a line break would hide a secret from the search for it.
  const printSafe = (text: string) => print(wrapText(sanitize(text, page), page.columns).join('\n'));
  const textOf = (fix: Fix) => String(withCommands(fix, page.inPlace));
  const printUnlessQuiet = (text: string) => void (quiet || printSafe(text));
  const words = page.accessible ? { done: 'Done:', failed: 'Failed:' } : { done: 'ok', failed: 'failed:' };
  const marks = page.unicode ? { done: '✓', failed: '✗' } : words;
  const annotate = (problem: Problem, folder = '') => {
    const roots = annotations && { ...annotations, cwd: resolve(annotations.cwd, folder) };
    if (roots) print(workflowAnnotation(problem, roots, page.secrets));
  };
  const footnotes: string[] = [];
  return {
    /** Whether steps, notes and logs are hidden: with `--quiet`. */
    isQuiet: quiet,
    step(title: string) {
      const started = options.elapsed();
      let printed = '';
      let lastPrinted = started;
      let current = title;
      let updated = started;
      const took = () => {
        const now = options.elapsed();
        const seconds = Math.floor((now - started) / 1_000);
        if (now - updated < stillMs) return '';
        return seconds < 60 ? `(${seconds} s)` : `(${duration(seconds * 1_000)})`;
      };
      const animates = page.animated && !quiet && !lender;
      spinner = animates ? startSpinner(stderr, sanitize(title, page), took, page) : undefined;
      const drop = spinner ? () => {} : after(announceAfterMs, () => printUnlessQuiet(title), { background: true });
      dropAnnouncement = drop;
      const clear = () => {
        drop();
        spinner?.stop();
        spinner = undefined;
      };
      const end = (mark: string, message: string) => {
        clear();
        printUnlessQuiet(`${mark} ${message}`);
      };
      const fail = () => end(page.style.red(marks.failed), title);
      return {
        update(state: { bytes: number; of?: number } | { text: string }) {
          const now = options.elapsed();
          const text = 'text' in state ? `${title}: ${state.text}` : `${title} ${transferred(state, now - started)}`;
          if (text !== current) updated = now;
          current = text;
          if (spinner) spinner.setText(sanitize(text, page));
          else if (text !== printed && now - lastPrinted >= milestoneIntervalMs) {
            lastPrinted = now;
            printed = text;
            printUnlessQuiet(text);
          }
        },
        done: (message = title) => end(page.style.green(marks.done), message),
        fail,
        clear,
        /** The result of the work that it shows: if that throws, the step has failed. */
        show: <T>(work: Promise<T>): Promise<T> =>
          work.catch((error: unknown) => {
            fail();
            throw error;
          }),
      };
    },
    note: (message: Fix | View): void =>
      printUnlessQuiet(typeof message === 'function' ? message(page) : textOf(message)),
    /** A message below the result, such as how many entries it omits. */
    footnote: (message: Fix): void => void footnotes.push(textOf(message)),
    finish: () => footnotes.splice(0).forEach(printUnlessQuiet),
    warn(given: Problem | Fix) {
      const isProblem = typeof given === 'object' && 'severity' in given;
      const problem: Problem = isProblem
        ? withFixCommands(given, page.inPlace)
        : { severity: 'warning', message: textOf(given) };
      warned?.push(problem);
      print(problemText(problem, page));
      if (problem.location) annotate(problem);
    },
    /** Marks a line of a file, whose path is relative to this folder, where GitHub Actions shows it. */
    annotate,
    /** Something the user has to do now; shown even with `--quiet`. */
    request: printSafe,
    log: (line: string | View) => {
      if (quiet) return;
      // It shows what is done: said afterwards, the title of the step would come in the middle of its lines.
      dropAnnouncement();
      writeTogether();
      print(sanitize(`  ${typeof line === 'string' ? line : line(page)}`, page));
    },
    /** A line that a program wrote to its stderr, shown even with `--quiet`. */
    relay: (line: string) => print(sanitize(line, page)),
    clearScreen: (): void => void (page.animated && stderr.write('\u001b[H\u001b[2J\u001b[3J')),
    /** For programs that read `--events`; not shown otherwise. */
    event(_type: (typeof eventTypes)[number], _facts: Record<string, unknown>): void {},
    /** While a program has the terminal, nothing is animated, and `above` prints each line. Returns what ends that. */
    giveWay(above: (print: () => void) => void) {
      spinner?.stop();
      spinner = undefined;
      lender = above;
      return () => {
        lender = undefined;
      };
    },
  };
}

export function withEventLines(progress: Progress, write: (event: Record<string, unknown>) => unknown): Progress {
  return {
    ...progress,
    event(type, facts) {
      write({ type, ...facts });
    },
  };
}

function transferred({ bytes, of }: { bytes: number; of?: number }, elapsedMs: number): string {
  const rate = elapsedMs > 0 ? (bytes / elapsedMs) * 1000 : 0;
  const speed = rate > 0 ? `, ${size(rate)}/s` : '';
  if (!of) return `${size(bytes)}${speed}`;
  const left = rate > 0 && bytes < of ? `, ${duration(((of - bytes) / rate) * 1000)} left` : '';
  return `${Math.floor((bytes / of) * 100)} % of ${size(of)}${speed}${left}`;
}

/** ora takes 50 ms to load: loaded only for a step that lasts. */
function startSpinner(stderr: Stream, title: string, suffixText: () => string, page: Page) {
  let text = title;
  let ora: import('ora').Ora | undefined;
  let isStopped = false;
  const stopTimer = after(
    animateAfterMs,
    async () => {
      const { default: load } = await import('ora');
      if (isStopped) return;
      ora = load({
        text,
        suffixText,
        stream: stderr as NodeJS.WriteStream,
        discardStdin: false,
        isEnabled: true,
        // Its own detection ignores NO_COLOR.
        color: page.colored && 'cyan',
        ...(page.unicode ? {} : { spinner: 'line' }),
      });
      ora.start();
    },
    { background: true },
  );
  return {
    setText(next: string) {
      text = next;
      if (ora) ora.text = next;
    },
    hide: () => ora?.clear(),
    show: () => ora?.render(),
    stop() {
      isStopped = true;
      stopTimer();
      ora?.stop();
    },
  };
}
