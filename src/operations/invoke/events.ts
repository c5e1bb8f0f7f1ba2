import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { UnexpectedReplyError } from '../../errors.ts';
import type { AppAnswer } from './call.ts';

/** One event of a stream. */
export interface AppEvent {
  /** Its kind; null where the app names none. */
  event: string | null;
  data: string;
  id: string | null;
}

/** How long an event may be, characters. */
const longest = 64 * 1024 * 1024;

/** The events of an answer, as they come; comments that keep a line alive are none. Throws when the stream is cut off. */
export async function* eventsOf({ target, pieces }: AppAnswer): AsyncGenerator<AppEvent> {
  const arrived: EventSourceMessage[] = [];
  const parser = createParser({
    maxBufferSize: longest,
    onEvent: (event) => arrived.push(event),
    onError({ type }) {
      if (type !== 'max-buffer-size-exceeded') return;
      throw endless(target.name);
    },
  });
  const decoder = new TextDecoder();
  // The parser reads a line again from its start with every piece, so it gets whole lines only.
  let begun: string[] = [];
  let length = 0;
  for await (const piece of pieces) {
    const text = decoder.decode(piece, { stream: true });
    const end = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1;
    if (end > 0) {
      parser.feed(begun.join('') + text.slice(0, end));
      begun = [];
      length = 0;
      yield* taken(arrived);
    }
    begun.push(text.slice(end));
    length += text.length - end;
    if (length > longest) throw endless(target.name);
  }
  // Whole as the answer is, its last event needs no empty line after it.
  parser.feed(`${begun.join('')}${decoder.decode()}\n\n`);
  yield* taken(arrived);
}

function endless(name: string): UnexpectedReplyError {
  return new UnexpectedReplyError(`an event of ${name} has no end`, { fix: '--raw prints it as it comes' });
}

function* taken(arrived: EventSourceMessage[]): Generator<AppEvent> {
  for (const { event, data, id } of arrived.splice(0)) yield { event: event ?? null, data, id: id ?? null };
}
