import type { EventOf, HistoryEvent } from './events.ts';

/**
 * With the rollbacks whose build has served although nobody saw their end, right after the look that showed it: the
 * command was interrupted, killed or out of time.
 */
export function withRollbacks(recorded: readonly HistoryEvent[]): readonly HistoryEvent[] {
  const open = new Map<string, EventOf<'rolling-back'>>();
  for (const event of recorded) if (event.event === 'rolling-back') open.set(event.as, event);
  for (const event of recorded) if (event.event === 'rolled-back') open.delete(event.as);
  if (open.size === 0) return recorded;
  return recorded.flatMap((event): HistoryEvent[] => {
    if (event.event !== 'served') return [event];
    const ended = [event.before ?? '', event.build].flatMap((build): HistoryEvent[] => {
      const rollback = open.get(build);
      open.delete(build);
      return rollback ? [{ ...rollback, event: 'rolled-back', at: event.at }] : [];
    });
    return [event, ...ended];
  });
}
