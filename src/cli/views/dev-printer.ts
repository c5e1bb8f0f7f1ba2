import type { GantryError } from '../../kernel/errors.ts';
import { duration, shortBuild } from '../../kernel/output/format.ts';
import type { Page } from '../../kernel/output/page.ts';
import { wrapCommand } from '../../kernel/output/wrap-command.ts';
import { type AppAddresses, type AppLine, type Reload, reloadProblems } from '../../local/dev/index.ts';
import type { Context } from '../../platform/context.ts';
import {
  breakpointText,
  type CallLine,
  callLine,
  failureLine,
  keyHelp,
  keyLine,
  outputLine,
  reloadLine,
  servingText,
} from './dev.ts';

interface PrinterOptions {
  /** Whether lines name their app. */
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

  call(app: string, { run, ...call }: CallLine & { run?: string | undefined }): void {
    const at = this.time();
    this.#progress.note(callLine(call, at, this.#label(app)));
    const { status, runStatus, ...facts } = call;
    this.#progress.event('request', {
      ...{ app, at, ...facts },
      ...{ durationMs: Math.round(call.durationMs), statusCode: status ?? null },
      ...(runStatus !== undefined && { runStatusCode: runStatus }),
      ...(run !== undefined && { run }),
    });
  }

  output(app: string, { text, stream, run, at }: AppLine): void {
    this.#progress.log(outputLine(text, stream, this.#label(app)));
    const facts = { app, at: new Date(at).toISOString(), stream, line: text };
    this.#progress.event('log', { ...facts, ...(run && { run }) });
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

  /** Code waits for editors to attach. */
  waiting(ports: readonly number[]): void {
    this.#progress.note(`waiting for an editor to attach to port ${ports.join(', ')} before each start`);
  }

  breakpoint(place: string): void {
    this.#progress.note(breakpointText(place));
  }

  reload(app: string, build: string, { changed, tookMs }: Reload): void {
    const at = this.time();
    this.#progress.note(reloadLine(app, { changed, tookMs }, at));
    this.#progress.event('reload', { app, at, build, changed, durationMs: tookMs });
  }

  /** What is not as on the platform. */
  differences(app: string, lines: readonly string[]): void {
    const label = this.#label(app) === undefined ? '' : `[${app}] `;
    for (const line of lines) this.#progress.note(`${label}not as on the platform: ${line}`);
  }

  /** `servingSince` is when the version that is still running was deployed. */
  failure(app: string, changed: string[], error: GantryError, servingSince: string | undefined): void {
    const at = this.time();
    this.#progress.note(failureLine(app, changed, at));
    for (const problem of reloadProblems(error)) {
      this.#progress.warn(problem);
      const fix = problem.fix?.toString();
      const facts = { ...problem, ...(fix !== undefined && { fix }) };
      this.#progress.event('problem', { app, at, changed, ...facts, servingSince: servingSince ?? null });
    }
    this.#progress.note(servingText(servingSince));
  }

  /** Says once what can be done now. */
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
    for (const { page, endpoint, curl, dashboard } of apps) {
      const lines = ({ columns }: Page) =>
        [page, endpoint, curl && wrapCommand(curl, columns), dashboard].filter(Boolean).join('\n');
      this.#progress.note(lines);
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
