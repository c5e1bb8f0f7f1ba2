import type { EventOf, HistoryEvent } from './events.ts';

/**
 * Uploads as far as they are known: one that was begun and whose end nobody saw is sent, unconfirmed, until its build is
 * seen to have started. That of a build that was canceled before never arrived.
 */
export function withUploads(recorded: readonly HistoryEvent[]): readonly HistoryEvent[] {
  if (!recorded.some(isOpen)) return recorded;
  const seen = new Set(recorded.flatMap((event) => (event.event === 'sent' ? event.build : [])));
  const canceled = new Set<string>();
  const started = new Set<string>();
  for (const event of recorded) {
    if (event.event === 'served') started.add(event.build).add(event.before ?? '');
    if (event.event === 'rolled-back') started.add(event.as);
    if (event.event === 'failed') (isCanceled(event) ? canceled : started).add(event.build);
  }
  return recorded.flatMap((event): HistoryEvent[] => {
    if (!isOpen(event)) return [event];
    const { build } = event;
    if (event.event === 'sending' && seen.has(build)) return [];
    if (started.has(build)) return [{ ...event, event: 'sent', unconfirmed: false }];
    return canceled.has(build) ? [] : [{ ...event, event: 'sent', unconfirmed: true }];
  });
}

function isOpen(event: HistoryEvent): event is EventOf<'sending'> | EventOf<'sent'> {
  return event.event === 'sending' || (event.event === 'sent' && event.unconfirmed === true);
}

function isCanceled({ status }: EventOf<'failed'>): boolean {
  return /^cancell?ed$/i.test(status);
}
