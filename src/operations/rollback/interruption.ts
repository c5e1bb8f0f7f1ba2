import { gantryCommand } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { abortError, GantryError } from '../../errors.ts';
import { shortBuild } from '../../output/format.ts';
import { lookAtDeployed } from '../deploy/index.ts';
import { recordLook } from '../history/index.ts';
import { cleanupSignal } from '../waiting/index.ts';

/** The build that serves after Ctrl-C, looked up within seconds; null if that is not known. */
export async function readDespiteInterrupt(context: Context, app: string): Promise<string | null> {
  const signal = cleanupSignal();
  const bounded: Context = Object.create(context, {
    signal: { value: signal },
    api: { value: context.apiWithSignal(signal) },
  });
  try {
    const { app: shown, serves } = await lookAtDeployed(bounded, app);
    if (shown) await recordLook(bounded, app, shown);
    return serves ?? null;
  } catch (error) {
    if (error instanceof GantryError) return null;
    throw error;
  }
}

/** Rolls back by hand. An interruption after the build was created says what serves: the new build may have been faster. */
export async function sayWhatServes<T>(context: Context, app: string, rollback: () => Promise<T>): Promise<T> {
  try {
    return await rollback();
  } catch (error) {
    const { build, status } = (error instanceof GantryError ? error.facts.details : undefined) ?? {};
    if (!context.signal.aborted || typeof build !== 'string') throw error;
    const end = abortError(context.signal);
    const serves = await readDespiteInterrupt(context, app);
    const isDone = serves === build;
    const isOpen = !isDone && status !== 'cancelled';
    const truth = serves === null ? 'what serves is not known' : `build ${shortBuild(serves)} serves`;
    const more = isOpen ? `, and build ${shortBuild(build)} may replace it` : ', and nothing was rolled back';
    end.message = `${end.message}: ${isDone ? `the rollback of ${app} has succeeded, ${truth}` : truth + more}`;
    if (serves === null) end.facts.fix = gantryCommand`apps get ${app}`;
    else if (isOpen) end.facts.fix = gantryCommand`builds follow ${app} ${build}`;
    end.facts.details = { app, build, status, serves };
    throw end;
  }
}
