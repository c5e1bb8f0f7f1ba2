import { statSync } from 'node:fs';
import type { Context } from '../../context.ts';
import { GantryError, type Problem, ProjectError } from '../../errors.ts';
import type { Progress, Step } from '../../output/progress.ts';
import { type Deployment, deploy, type LocalApp, readLocalApp } from '../deploy/index.ts';
import { FolderWatcher } from './folder-watcher.ts';

export interface AppVersion extends Deployment {
  local: LocalApp;
  /** From the save to the end of the build. */
  tookMs: number;
}

/** Builds on the emulator take seconds at most. In ms. */
const timeoutMs = 600_000;

/**
 * Deploys the app in the working directory, and again whenever one of its files changes. If a version fails, prints its
 * errors and keeps the previous one; throws if there is none. Ends when the signal aborts.
 */
export async function* develop(context: Context): AsyncGenerator<AppVersion> {
  const { progress, signal, cwd, elapsed } = context;
  const quiet: Context = Object.create(context, { progress: { value: quietProgress(progress) } });
  const watcher = new FolderWatcher(cwd, progress.warn);
  let lastState: string | undefined;
  let hasVersion = false;
  try {
    while (!signal.aborted) {
      const started = elapsed();
      try {
        const local = await readLocalApp(quiet, { configFile: 'cerebrium.toml' });
        const state = serializeState(local);
        if (state !== lastState) {
          lastState = state;
          const deployment = await deploy(quiet, local, { detach: false, logs: false, timeoutMs });
          hasVersion = true;
          yield { ...deployment, local, tookMs: elapsed() - started };
        }
      } catch (error) {
        if (signal.aborted) return;
        if (!hasVersion) throw error;
        lastState = undefined;
        printProblems(error, quiet.progress);
      }
      await watcher.nextChange(signal);
    }
  } finally {
    watcher.close();
  }
}

/** Changes if and only if what would be sent changes. */
function serializeState({ entries, project }: LocalApp): string {
  const files = entries.map(({ path, size, executable, source }) => {
    const content = 'text' in source ? source.text : statSync(source.file, { throwIfNoEntry: false })?.mtimeMs;
    return [path, size, executable, content];
  });
  return JSON.stringify([project.text, files]);
}

/** Rethrows what is not a mistake of the user. */
function printProblems(error: unknown, { warn, note }: Progress): void {
  if (!(error instanceof GantryError)) throw error;
  const problems: readonly Problem[] = error instanceof ProjectError ? error.problems : [];
  const { why, fix, location } = error.facts;
  const facts = { ...(why && { why }), ...(fix && { fix }), ...(location && { location }) };
  const own: Problem = { severity: 'error', message: error.message, ...facts };
  for (const problem of problems.length > 0 ? problems : [own]) warn(problem);
  note('waiting for a fix; still serving the previous version');
}

/** Hides the steps of each deploy, and warnings that were printed before. */
function quietProgress(progress: Progress): Progress {
  const printed = new Set<string>();
  const noStep: Step = { update: () => {}, done: () => {}, fail: () => {}, clear: () => {} };
  return {
    ...progress,
    step: () => noStep,
    warn(problem) {
      const isError = typeof problem === 'object' && problem.severity === 'error';
      const text = JSON.stringify(typeof problem === 'object' ? [problem.message, problem.why] : problem);
      if (isError || !printed.has(text)) progress.warn(problem);
      printed.add(text);
    },
  };
}
