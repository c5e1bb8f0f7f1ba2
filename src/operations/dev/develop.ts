import { statSync } from 'node:fs';
import type { Context } from '../../context.ts';
import { GantryError, type Problem, ProjectError } from '../../errors.ts';
import type { Progress, Step } from '../../output/progress.ts';
import { type Deployment, deploy, type LocalApp, readLocalApp } from '../deploy/index.ts';
import { FolderWatcher } from './folder-watcher.ts';

/** A version that is up. */
export interface AppVersion extends Deployment {
  local: LocalApp;
  /** From the save to the end of the build. */
  tookMs: number;
}

/** Building here takes no time worth a limit (in milliseconds). */
const timeoutMs = 600_000;

/**
 * Deploys the app in the working directory, and again whenever one of its files has changed. What cannot be deployed is
 * told, and the version before it stays; without one it is thrown. Ends when the signal says so.
 */
export async function* develop(context: Context, configFile: string): AsyncGenerator<AppVersion> {
  const { progress, signal, cwd, elapsed } = context;
  const quiet: Context = Object.create(context, { progress: { value: onceEach(progress) } });
  const watch = new FolderWatcher(cwd, progress.warn);
  let before: string | undefined;
  let isUp = false;
  try {
    while (!signal.aborted) {
      const started = elapsed();
      try {
        const local = await readLocalApp(quiet, { configFile });
        const state = stateOf(local);
        if (state !== before) {
          before = state;
          const done = await deploy(quiet, local, { detach: false, logs: false, timeoutMs });
          isUp = true;
          yield { ...done, local, tookMs: elapsed() - started };
        }
      } catch (error) {
        if (signal.aborted) return;
        if (!isUp) throw error;
        before = undefined;
        tell(error, quiet.progress);
      }
      await watch.nextChange(signal);
    }
  } finally {
    watch.close();
  }
}

/** Any change of what would be sent changes this; a change of anything else does not. */
function stateOf({ entries, project }: LocalApp): string {
  const files = entries.map(({ path, size, executable, source }) => {
    const content = 'text' in source ? source.text : statSync(source.file, { throwIfNoEntry: false })?.mtimeMs;
    return [path, size, executable, content];
  });
  return JSON.stringify([project.text, files]);
}

/** Only mistakes of the user are: the rest ends the command. */
function tell(error: unknown, { warn, note }: Progress): void {
  if (!(error instanceof GantryError)) throw error;
  const problems: readonly Problem[] = error instanceof ProjectError ? error.problems : [];
  const own: Problem = { severity: 'error', message: error.message, ...facts(error) };
  for (const problem of problems.length > 0 ? problems : [own]) warn(problem);
  note('waiting for it to be mended; the version before it stays');
}

function facts({ facts: { why, fix, place } }: GantryError): Partial<Problem> {
  return { ...(why && { why }), ...(fix && { fix }), ...(place && { place }) };
}

/** The steps of a deploy are of no interest when there is one every few seconds; a warning is the first time. */
function onceEach(progress: Progress): Progress {
  const said = new Set<string>();
  const nothing: Step = { update: () => {}, done: () => {}, fail: () => {}, clear: () => {} };
  return {
    ...progress,
    step: () => nothing,
    warn(problem) {
      const isError = typeof problem === 'object' && problem.severity === 'error';
      const text = JSON.stringify(typeof problem === 'object' ? [problem.message, problem.why] : problem);
      if (isError || !said.has(text)) progress.warn(problem);
      said.add(text);
    },
  };
}
