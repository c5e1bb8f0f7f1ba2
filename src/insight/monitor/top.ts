import type { Context } from '../../platform/context.ts';
import { type MonitorOptions, monitorApps, type ProjectFigures } from './monitor-apps.ts';

/** A snapshot, and what somebody chose to see of it. */
export type TopFrame = ReturnType<typeof frameOf>;

interface TopState {
  selected?: string;
  logOf?: string;
  last?: ProjectFigures;
}

/** Yields how apps are doing, again after each key. Ends by `q`, after a time, or by Ctrl-C. */
export async function* runTop(
  context: Context,
  { app, everyMs, forMs }: Omit<MonitorOptions, 'signal'>,
): AsyncGenerator<TopFrame> {
  const end = new AbortController();
  const signal = AbortSignal.any([context.signal, end.signal]);
  const state: TopState = {};
  let onKey = () => {};
  const keys = await context.prompt.listenForKeys((key) => {
    if (key === 'q') end.abort();
    else if (key === 'l') toggleLog(state);
    else if (key === 'j' || key === 'k') select(state, key === 'j' ? 1 : -1);
    onKey();
  });
  context.interruption.message = '';
  const snapshots = monitorApps(context, { app, everyMs, forMs, signal, logOf: () => state.logOf });
  try {
    let next = snapshots.next();
    while (!signal.aborted) {
      const pressed = new Promise<'key'>((resolve) => {
        onKey = () => resolve('key');
      });
      const came = await Promise.race([next, pressed]);
      if (came !== 'key') {
        if (came.done) break;
        state.last = came.value;
        next = snapshots.next();
      }
      if (state.last && !signal.aborted) yield frameOf(state, state.last, keys !== undefined);
    }
  } finally {
    end.abort();
    keys?.stop();
  }
  context.signal.throwIfAborted();
}

function frameOf({ selected, logOf }: TopState, last: ProjectFigures, hasKeys: boolean) {
  const names = last.apps.map(({ app }) => app);
  const current = selected !== undefined && names.includes(selected) ? selected : names[0];
  return {
    ...last,
    selected: (hasKeys && current) || null,
    logOf: logOf ?? null,
    hasKeys,
  };
}

function select(state: TopState, by: 1 | -1): void {
  const names = (state.last?.apps ?? []).map(({ app }) => app);
  const at = Math.max(0, names.indexOf(state.selected ?? ''));
  const next = names[Math.min(names.length - 1, Math.max(0, at + by))];
  if (next === undefined) return;
  state.selected = next;
  if (state.logOf !== undefined) state.logOf = next;
}

function toggleLog(state: TopState): void {
  if (state.logOf === undefined) state.logOf = state.selected ?? state.last?.apps[0]?.app ?? '';
  else delete state.logOf;
}
