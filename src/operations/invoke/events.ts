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
      throw new UnexpectedReplyError(`an event of ${target.name} has no end`, { fix: '--raw prints it as it comes' });
    },
  });
  const decoder = new TextDecoder();
  for await (const piece of pieces) {
    parser.feed(decoder.decode(piece, { stream: true }));
    yield* taken(arrived);
  }
  // Whole as the answer is, its last event needs no empty line after it.
  parser.feed(`${decoder.decode()}\n\n`);
  yield* taken(arrived);
}

function* taken(arrived: EventSourceMessage[]): Generator<AppEvent> {
  for (const { event, data, id } of arrived.splice(0)) yield { event: event ?? null, data, id: id ?? null };
}
