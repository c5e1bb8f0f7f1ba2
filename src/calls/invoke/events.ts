import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { UnexpectedReplyError } from '../../kernel/errors.ts';
import type { AppResponse } from './response.ts';

/** A server-sent event. */
export interface AppEvent {
  /** The event type; null if the app sets none. */
  event: string | null;
  data: string;
  id: string | null;
}

/** In characters. */
const maxEventLength = 64 * 1024 * 1024;

/** Yields the events of a response as they arrive, without comments. Throws if the stream is cut off. */
export async function* readEvents({ target, chunks }: AppResponse): AsyncGenerator<AppEvent> {
  const parsed: EventSourceMessage[] = [];
  const parser = createParser({
    maxBufferSize: maxEventLength,
    onEvent: (event) => parsed.push(event),
    onError({ type }) {
      if (type !== 'max-buffer-size-exceeded') return;
      throw eventTooLong(target.name);
    },
  });
  const decoder = new TextDecoder();
  // The parser re-reads an unfinished line with every chunk, so it only gets complete lines.
  let unfinished: string[] = [];
  let unfinishedLength = 0;
  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true });
    const end = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1;
    if (end > 0) {
      parser.feed(unfinished.join('') + text.slice(0, end));
      unfinished = [];
      unfinishedLength = 0;
      yield* drain(parsed);
    }
    unfinished.push(text.slice(end));
    unfinishedLength += text.length - end;
    if (unfinishedLength > maxEventLength) throw eventTooLong(target.name);
  }
  // The response is complete, so its last event may lack the empty line that ends it.
  parser.feed(`${unfinished.join('')}${decoder.decode()}\n\n`);
  yield* drain(parsed);
}

function eventTooLong(name: string): UnexpectedReplyError {
  return new UnexpectedReplyError(`an event of ${name} is too long`, { fix: 'use --raw to print it as it arrives' });
}

function* drain(parsed: EventSourceMessage[]): Generator<AppEvent> {
  for (const { event, data, id } of parsed.splice(0)) yield { event: event ?? null, data, id: id ?? null };
}
