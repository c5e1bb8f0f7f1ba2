import * as v from 'valibot';

const amount = v.pipe(v.number(), v.minValue(0));
const yes = v.literal(true);

const Event = v.object({
  ready: v.optional(yes),
  broken: v.optional(v.string()),
  run: v.nullish(v.string()),
  stream: v.optional(v.picklist(['stdout', 'stderr'])),
  line: v.optional(v.string()),
  call: v.optional(v.string()),
  /** The whole answer: parsed and written again here, large numbers would change. */
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

/** What the worker of an app tells; see `cortex.py`. */
export type WorkerEvent = v.InferOutput<typeof Event>;

/** Reads a line of the worker; undefined when it is not one: code of the app can write to the same descriptor. */
export function readWorkerEvent(line: string): WorkerEvent | undefined {
  try {
    const result = v.safeParse(Event, JSON.parse(line));
    return result.success ? result.output : undefined;
  } catch {
    return undefined;
  }
}
