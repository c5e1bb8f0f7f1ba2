import type { Problem } from '../errors.ts';
import { problemText, workflowAnnotation } from './failure.ts';
import { duration, size } from './format.ts';
import type { Page, Stream, View } from './page.ts';
import { sanitize } from './sanitize.ts';
import { wrapText } from './wrap-text.ts';

/** What an operation may tell a person. It knows no more of the terminal than this. */
export interface Progress {
  step(title: string): Step;
  /** A fact worth knowing, in words or as a view. */
  note(said: string | View): void;
  /** What is to be read below the answer, such as how many entries it leaves out. */
  footnote(said: string): void;
  /** Prints the footnotes. */
  finish(): void;
  warn(problem: Problem | string): void;
  /** What a person has to do now, elsewhere; it is said even with `--quiet`. */
  request(said: string): void;
  /** A line written by the platform or by an app; it is cleaned before it is shown. */
  log(line: string): void;
  /** A fact for programs that read `--events`; people do not see it. */
  event(type: string, facts: Record<string, unknown>): void;
}

export interface Step {
  /** How far it is; `of` is the whole, where it is known. */
  update(done: { bytes: number; of?: number } | { text: string }): void;
  done(text?: string): void;
  fail(): void;
  /** Ends it without a word: the answer tells enough. */
  clear(): void;
}

interface ProgressOptions {
  stderr: Stream;
  page: Page;
  quiet: boolean;
  /** Problems are also written as annotations of their line. */
  annotations: boolean;
  elapsed: () => number;
}

/** Minimum time between two progress lines of one step, without a terminal. */
const milestoneMs = 10_000;
/** Off a terminal, a step that takes longer is announced before it ends. */
const announceMs = 1_000;
/** A step that ends sooner is not worth an animation. */
const patienceMs = 100;

/** Progress for people: animated on a terminal, milestone lines elsewhere. */
export function createProgress(voice: ProgressOptions): Progress {
  const { stderr, page, quiet, annotations } = voice;
  let spinner: Spinner | undefined;
  const print = (text: string) => {
    spinner?.hide();
    stderr.write(`${text}\n`);
    spinner?.show();
  };
  // Cleaned before it is wrapped: a line break would hide a secret from the search for it.
  const write = (text: string) => print(wrapText(sanitize(text, page), page.columns).join('\n'));
  const say = (text: string) => void (quiet || write(text));
  const footnotes: string[] = [];
  return {
    step(title) {
      const started = voice.elapsed();
      let text = title;
      let spoken = started;
      spinner = page.animated && !quiet ? startSpinner(stderr, sanitize(title, page), page) : undefined;
      const opening = spinner ? undefined : setTimeout(() => say(title), announceMs).unref();
      const clear = () => {
        clearTimeout(opening);
        spinner?.stop();
        spinner = undefined;
      };
      const end = (mark: string, said: string) => {
        clear();
        say(`${mark} ${said}`);
      };
      return {
        update(state) {
          const now = voice.elapsed();
          text = 'text' in state ? `${title}: ${state.text}` : `${title} ${transferred(state, now - started)}`;
          if (spinner) spinner.says(sanitize(text, page));
          else if (now - spoken >= milestoneMs) {
            spoken = now;
            say(text);
          }
        },
        done: (said) => end(page.style.green(page.unicode ? '✓' : 'ok'), said ?? title),
        fail: () => end(page.style.red(page.unicode ? '✗' : 'failed:'), title),
        clear,
      };
    },
    note: (said) => say(typeof said === 'string' ? said : said(page)),
    footnote: (said) => void footnotes.push(said),
    finish: () => footnotes.splice(0).forEach(say),
    warn(said) {
      const problem: Problem = typeof said === 'string' ? { severity: 'warning', message: said } : said;
      print(problemText(problem, page));
      if (annotations && problem.place) print(workflowAnnotation(problem, page.secrets));
    },
    request: write,
    log: (line) => quiet || print(sanitize(`  ${line}`, page)),
    event: () => {},
  };
}

/** The same, with each event on a line of stdout as well. */
export function withEventLines(progress: Progress, write: (event: Record<string, unknown>) => unknown): Progress {
  return { ...progress, event: (type, facts) => write({ type, ...facts }) };
}

function transferred({ bytes, of }: { bytes: number; of?: number }, elapsedMs: number): string {
  const rate = elapsedMs > 0 ? (bytes / elapsedMs) * 1000 : 0;
  const speed = rate > 0 ? `, ${size(rate)}/s` : '';
  if (!of) return `${size(bytes)}${speed}`;
  const left = rate > 0 && bytes < of ? `, ${duration(((of - bytes) / rate) * 1000)} left` : '';
  return `${Math.floor((bytes / of) * 100)} % of ${size(of)}${speed}${left}`;
}

interface Spinner {
  says(text: string): void;
  hide(): void;
  show(): void;
  stop(): void;
}

/** ora costs 50 ms to load, so it comes only when a step lasts. */
function startSpinner(stderr: Stream, title: string, page: Page): Spinner {
  let text = title;
  let ora: import('ora').Ora | undefined;
  let over = false;
  const timer = setTimeout(async () => {
    const { default: load } = await import('ora');
    if (over) return;
    ora = load({
      text,
      stream: stderr as NodeJS.WriteStream,
      discardStdin: false,
      isEnabled: true,
      ...(page.unicode ? {} : { spinner: 'line' }),
    });
    ora.start();
  }, patienceMs);
  timer.unref();
  return {
    says(said) {
      text = said;
      if (ora) ora.text = said;
    },
    hide: () => ora?.clear(),
    show: () => ora?.render(),
    stop() {
      over = true;
      clearTimeout(timer);
      ora?.stop();
    },
  };
}
