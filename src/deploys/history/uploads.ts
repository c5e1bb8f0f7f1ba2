import { isCanceled } from '../../platform/contract/builds.ts';
import type { EventOf, HistoryEvent } from './events.ts';

/**
 * Uploads as far as they are known: one that was begun and whose end nobody saw is sent, unconfirmed, until its build is
 * seen to have started. That of a build that was canceled before never arrived.
 */
export function withUploads(recorded: readonly HistoryEvent[]): readonly HistoryEvent[] {
  const sent = new Set<string>();
  const arrived = new Map<string | null, boolean>();
  for (const event of recorded) {
    if (event.event === 'sent') sent.add(event.build);
    if (event.event === 'served') arrived.set(event.build, true).set(event.before, true);
    if (event.event === 'rolled-back') arrived.set(event.as, true);
    if (event.event === 'failed') arrived.set(event.build, arrived.get(event.build) || !isCanceled(event.status));
  }
  return recorded.flatMap((event): HistoryEvent[] => {
    if (!isOpen(event)) return [event];
    const isSurpassed = event.event === 'sending' && sent.has(event.build);
    const has = arrived.get(event.build);
    return isSurpassed || has === false ? [] : [{ ...event, event: 'sent', unconfirmed: !has }];
  });
}

function isOpen(event: HistoryEvent): event is EventOf<'sending'> | EventOf<'sent'> {
  return event.event === 'sending' || (event.event === 'sent' && event.unconfirmed === true);
}
