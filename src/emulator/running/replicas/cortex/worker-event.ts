import * as v from 'valibot';
import { parseJsonLine } from '../../../model/state/json-line.ts';

const amount = v.pipe(v.number(), v.minValue(0));
const yes = v.literal(true);

const Event = v.object({
  ready: v.optional(yes),
  broken: v.optional(v.string()),
  run: v.nullish(v.string()),
  stream: v.optional(v.picklist(['stdout', 'stderr'])),
  line: v.optional(v.string()),
  call: v.optional(v.string()),
  /** JSON text, passed on as it is: parsing would change large numbers. */
  answer: v.optional(v.string()),
  answerFile: v.optional(v.string()),
  failed: v.optional(v.string()),
  /** 0: the call was canceled. */
  status: v.optional(v.union([v.literal(0), v.pipe(v.number(), v.integer(), v.minValue(200), v.maxValue(599))])),
  begins: v.optional(yes),
  item: v.optional(v.string()),
  size: v.optional(amount),
  ends: v.optional(yes),
  ms: v.optional(amount),
});

/** An event of an app's worker, documented in `cortex.py`. */
export type WorkerEvent = v.InferOutput<typeof Event>;

/** Undefined if the line is not an event: the app's code can write to the same file descriptor. */
export function readWorkerEvent(line: string): WorkerEvent | undefined {
  return parseJsonLine(Event, line);
}
