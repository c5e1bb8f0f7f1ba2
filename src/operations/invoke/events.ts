import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { UnexpectedReplyError } from '../../errors.ts';
import type { AppResponse } from './call.ts';

/** One event of a stream. */
export interface AppEvent {
  /** Its kind; null where the app names none. */
  event: string | null;
  data: string;
  id: string | null;
}

/** How long an event may be, characters. */
const maxEventLength = 64 * 1024 * 1024;

/** The events of an answer, as they come; comments that keep a line alive are none. Throws when the stream is cut off. */
export async function* readEvents({ target, chunks }: AppResponse): AsyncGenerator<AppEvent> {
  const arrived: EventSourceMessage[] = [];
  const parser = createParser({
    maxBufferSize: maxEventLength,
    onEvent: (event) => arrived.push(event),
    onError({ type }) {
      if (type !== 'max-buffer-size-exceeded') return;
      throw eventTooLong(target.name);
    },
  });
  const decoder = new TextDecoder();
  // The parser reads a line again from its start with every piece, so it gets whole lines only.
  let begun: string[] = [];
  let length = 0;
  for await (const piece of chunks) {
    const text = decoder.decode(piece, { stream: true });
    const end = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1;
    if (end > 0) {
      parser.feed(begun.join('') + text.slice(0, end));
      begun = [];
      length = 0;
      yield* drain(arrived);
    }
    begun.push(text.slice(end));
    length += text.length - end;
    if (length > maxEventLength) throw eventTooLong(target.name);
  }
  // Whole as the answer is, its last event needs no empty line after it.
  parser.feed(`${begun.join('')}${decoder.decode()}\n\n`);
  yield* drain(arrived);
}

function eventTooLong(name: string): UnexpectedReplyError {
  return new UnexpectedReplyError(`an event of ${name} has no end`, { fix: '--raw prints it as it comes' });
}

function* drain(arrived: EventSourceMessage[]): Generator<AppEvent> {
  for (const { event, data, id } of arrived.splice(0)) yield { event: event ?? null, data, id: id ?? null };
}
