import { resolve } from 'node:path';
import { GantryError, InterruptedError, NotFoundError } from '../../kernel/errors.ts';
import { count, groupDigits } from '../../kernel/output/format.ts';
import { platformOf, stateKey } from '../../platform/config/state-key.ts';
import type { Context } from '../../platform/context.ts';
import { fetchApp } from '../../platform/replies/index.ts';
import { unless } from '../../platform/waiting/index.ts';
import { warnIfSent } from '../../storage/output-files.ts';
import { limitHeapGrowth } from '../../storage/transfer/heap-growth.ts';
import { type CallTarget, resolveCallAuth, resolveCallTarget } from '../invoke/index.ts';
import { checkBudget, factsOf } from '../replica-budget.ts';
import { openInputs } from './input-file.ts';
import { MapCalls, type MapCounts, type MapOptions } from './map-calls.ts';
import { MapLog, whileLocked } from './map-log.ts';
import { ResultsFile } from './results-file.ts';

/** What is in the results file now. */
export type MapSummary = Awaited<ReturnType<typeof mapInputs>>;

/** The counts of a map before its first call. */
const noCounts = {
  calls: 0,
  newFailures: 0,
  refused: 0,
  durationMs: 0,
  failures: [],
  costCents: null,
  stoppedBy: null,
};

/** Calls in flight, if the platform does not say how many calls an app can take. */
const defaultConcurrency = 8;
const maxConcurrency = 256;
/** The platform ends a call after the grace period of the app; 15 minutes by default. */
const defaultGraceSeconds = 15 * 60;
/** The time for what is around the call itself. */
const delayMs = 60_000;

/**
 * Calls an app with each input of a file. Each input gets one line in the results file, also if this is interrupted and
 * repeated. Throws GantryError for what would happen to every call.
 */
export async function mapInputs(context: Context, options: MapOptions) {
  // From the first reading of the file on: the young generation does not shrink.
  const allowHeapGrowth = limitHeapGrowth();
  try {
    return await mapFile(context, options);
  } finally {
    allowHeapGrowth();
  }
}

async function mapFile(context: Context, options: MapOptions) {
  const { app, fn, input: inputName, results: name } = options;
  const target = resolveCallTarget(context, { app, fn });
  const auth = resolveCallAuth(context, {}, options.auth);
  const input = await openInputs(context, inputName);
  try {
    const mapped = await findApp(context, target);
    const facts = mapped && factsOf(mapped);
    checkBudget({ app: target.app, facts, budget: options.budget, otherLimit: '--max-failures' });
    const { responseGracePeriodSeconds, runtime } = mapped ?? {};
    const capacity = facts ? Math.max(1, facts.maxReplicas * facts.concurrency) : defaultConcurrency;
    const concurrency = options.concurrency ?? Math.min(maxConcurrency, capacity);
    const summary = (counts: MapCounts) => summaryOf(options, target, counts);
    const results = { name, path: resolve(context.cwd, name) };
    const heading = {
      input: { bytes: input.bytes, sha256: input.sha256, inputs: input.count },
      target: target.name,
      key: stateKey(platformOf(context.settings), target.project, target.name),
    };
    const log = await MapLog.open(results, heading);
    const { done, size, failed } = await ResultsFile.read({ ...options, ...results, log, count: input.count });
    context.willChange(
      `call ${target.name} with ${groupDigits(input.count - done)} of ${count(input.count, 'input')}, those without a result in ${name}, ${concurrency} at a time`,
      summary({ ...noCounts, inputs: input.count, done: size, failed }),
    );
    const calls = new MapCalls(context, {
      ...options,
      target,
      auth,
      input,
      results,
      heading,
      concurrency,
      facts,
      timeoutMs: options.timeoutMs ?? (responseGracePeriodSeconds || defaultGraceSeconds) * 1_000 + delayMs,
      hasOwnServer: Boolean(runtime) && runtime !== 'cortex',
    });
    const counts = await whileLocked(results, () => calls.run());
    await warnIfSent(context, results.path);
    return summary(counts);
  } finally {
    await input.close();
  }
}

function summaryOf(
  { input, results, budget }: MapOptions,
  { app, fn = '' }: CallTarget,
  { inputs, done, failed, ...counts }: MapCounts,
) {
  const summary = {
    app,
    function: fn,
    input,
    results,
    inputs,
    succeeded: done - failed,
    failed,
    pending: inputs - done,
  };
  return { ...summary, ...counts, budgetCents: budget === undefined ? null : budget * 100 };
}

/** Undefined if the token may call the app, but not read it. */
async function findApp({ api }: Context, { project, app }: CallTarget) {
  const stops = (error: unknown) => error instanceof NotFoundError || error instanceof InterruptedError;
  return unless((error) => error instanceof GantryError && !stops(error), fetchApp(api, { project, app }));
}
