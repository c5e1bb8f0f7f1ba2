import type { ServedCall } from '../../emulator/index.ts';
import type { GantryError } from '../../kernel/errors.ts';
import { defined } from '../../kernel/json-text.ts';
import { duration, localTime, printablePath, shortBuild, shortList } from '../../kernel/output/format.ts';
import type { Page, View } from '../../kernel/output/page.ts';
import { type AppAddresses, type AppLine, type Reload, reloadProblems } from '../../local/dev/index.ts';
import type { Context } from '../../platform/context.ts';
import { runOutcome } from '../../platform/contract/run-outcome.ts';

interface PrinterOptions {
  several: boolean;
  hasKeys: boolean;
  /** The command line that points another shell to the emulator. */
  environmentCommand: string;
}

/** Prints what happens while `gantry dev` runs: as lines for people, and as events for `--json`. */
export class DevPrinter {
  readonly #progress: Context['progress'];
  #hasNamedKeys = false;
  #hasNamedShell = false;

  constructor(
    private readonly context: Pick<Context, 'progress' | 'now'>,
    private readonly options: PrinterOptions,
  ) {
    this.#progress = context.progress;
  }

  call(app: string, { run, ...call }: Omit<ServedCall, 'app'>): void {
    const at = this.time();
    this.#progress.note(callLine(call, at, this.#label(app)));
    const { status, runStatus, ...facts } = call;
    this.#progress.event('request', {
      app,
      at,
      ...facts,
      durationMs: Math.round(call.durationMs),
      statusCode: status ?? null,
      ...defined({ runStatusCode: runStatus, run }),
    });
  }

  output(app: string, { text, stream, run, at }: AppLine): void {
    this.#progress.log(outputLine(text, stream, this.#label(app)));
    const facts = { app, at: new Date(at).toISOString(), stream, line: text };
    this.#progress.event('log', { ...facts, ...defined({ run }) });
  }

  /** Steps are announced if they take long, but this one has ended. */
  ready(app: string, build: string, tookMs: number, formerName: string | undefined): void {
    const renamed = formerName === undefined ? '' : ` (renamed from ${formerName})`;
    const step = this.#progress.step(`Deploying ${app}`);
    step.done(`${app} is ready in ${duration(tookMs)}${renamed}, build ${shortBuild(build)}`);
  }

  debugger(app: string, port: number): void {
    this.#progress.note(`to debug ${app}, attach an editor to port ${port}`);
  }

  waiting(ports: readonly number[]): void {
    this.#progress.note(`waiting for an editor to attach to port ${ports.join(', ')} before each start`);
  }

  breakpoint(place: string): void {
    this.#progress.note(
      `breakpoint() at ${place}: type c to go on, n for the next line, p NAME for a value, h for help`,
    );
  }

  reload(app: string, build: string, { changed, tookMs }: Reload): void {
    const at = this.time();
    const outcome = ({ style }: Page) => `${style.green(`${app} reloaded`)} in ${duration(tookMs)}`;
    this.#progress.note(changeLine(changed, at, outcome));
    this.#progress.event('reload', { app, at, build, changed, durationMs: tookMs });
  }

  differences(app: string, lines: readonly string[]): void {
    const label = this.#label(app) === undefined ? '' : `[${app}] `;
    for (const line of lines) this.#progress.note(`${label}not as on the platform: ${line}`);
  }

  /** `servingSince` is when the version that is still running was deployed. */
  failure(app: string, changed: string[], error: GantryError, servingSince: string | undefined): void {
    const at = this.time();
    this.#progress.note(changeLine(changed, at, ({ style }) => style.red(`${app} not reloaded`)));
    for (const problem of reloadProblems(error)) {
      this.#progress.warn(problem);
      const fix = problem.fix?.toString();
      const facts = { ...problem, ...defined({ fix }) };
      this.#progress.event('problem', { app, at, changed, ...facts, servingSince: servingSince ?? null });
    }
    this.#progress.note(servingText(servingSince));
  }

  explain(isReady: boolean): void {
    const { environmentCommand, hasKeys } = this.options;
    if (isReady && !this.#hasNamedShell) {
      this.#hasNamedShell = true;
      this.#progress.note(`to use it in another shell: ${environmentCommand}`);
    }
    if (this.#hasNamedKeys) return;
    this.#hasNamedKeys = true;
    this.#progress.note(hasKeys ? keyLine : 'watching for changes; press Ctrl-C to stop');
  }

  addresses(apps: Iterable<AppAddresses>): void {
    for (const { endpoint, curl, dashboard } of apps) {
      this.#progress.note([endpoint, curl, dashboard].filter(Boolean).join('\n'));
    }
  }

  help(): void {
    this.#progress.note(keyHelp);
  }

  clear(): void {
    this.#progress.clearScreen();
    this.#progress.note(keyLine);
  }

  time(): string {
    return new Date(this.context.now()).toISOString();
  }

  #label(app: string): string | undefined {
    return this.options.several ? app : undefined;
  }
}

type CallLine = Omit<ServedCall, 'app' | 'run'>;

/** `14:00:05 POST /run 200 34 ms`, after the name of the app if there are several. */
function callLine(call: CallLine, at: string, app: string | undefined): View {
  const { method, path, status, durationMs, kind } = call;
  const label = app === undefined ? '' : `[${app}] `;
  return (page) => {
    const { style } = page;
    const notes = [kind === 'call' ? '' : callKinds[kind], whyIncomplete(call)].filter(Boolean);
    const words = [style.dim(clockTime(at)), method, path, statusText(status, page), style.dim(duration(durationMs))];
    return label + [...words.filter(Boolean), ...notes.map((note) => style.dim(`(${note})`))].join(' ');
  };
}

const callKinds = {
  accepted: 'async, accepted',
  ended: 'async, ended',
  websocket: 'websocket',
} as const;

function whyIncomplete({ isComplete, runStatus }: CallLine): string {
  if (isComplete) return '';
  if (runStatus === undefined) return 'the caller disconnected';
  return `broke off: the run ${runOutcome({ statusCode: runStatus }) === 'canceled' ? 'was canceled' : `ended with ${runStatus}`}`;
}

function statusText(status: number | undefined, { style }: Page): string {
  if (status === undefined) return '';
  const outcome = runOutcome({ statusCode: status });
  // An asynchronous run that was canceled, or lost its caller.
  if (/^(canceled|closed)$/.test(outcome)) return style.yellow(outcome);
  if (outcome === 'failed by the caller') return style.yellow(String(status));
  return outcome === 'succeeded' ? style.green(String(status)) : style.red(String(status));
}

/** A line that the app printed: labeled with the app, if there are several, and with its stream unless that is stdout. */
function outputLine(text: string, stream: 'stdout' | 'stderr', app: string | undefined): View {
  return ({ style }) => {
    const labels = [app ?? '', stream === 'stderr' ? style.yellow(stream) : ''].filter(Boolean);
    return labels.length > 0 ? `[${labels.join('/')}] ${text}` : text;
  };
}

/** `14:00:10 main.py changed: web reloaded in 240 ms` */
function changeLine(changed: string[], at: string, outcome: View): View {
  const what = changed.length > 0 ? `${changedText(changed)}: ` : '';
  return (page) => `${page.style.dim(clockTime(at))} ${what}${outcome(page)}`;
}

function servingText(servingSince: string | undefined): string {
  return servingSince === undefined
    ? 'no version of it is running yet; waiting for a fix'
    : `still serving the version of ${clockTime(servingSince)}; waiting for a fix`;
}

function changedText(changed: string[]): string {
  return `${shortList(changed.map(printablePath), 3)} changed`;
}

function clockTime(at: string): string {
  return localTime(at).slice(11);
}

const keyLine = 'keys: r redeploy, o open, c clear, l list, h help, q quit';

const keyHelp = [
  'r  deploy again, changed or not',
  'o  open the app in the browser; its dashboard page, if it has only functions',
  'c  clear the screen',
  'l  list the addresses',
  'h  show this help',
  'q  quit, as Ctrl-C does',
].join('\n');
