/** How a call ended, besides with a status of HTTP. */
export const noResponse = -1;
export const noConnection = -2;
const inFlight = 0;

/** The calls of one step, in columns: a thousand a second leave little behind. Times in ms since the step began. */
export class StepCalls {
  sent = 0;
  ended = 0;
  /** Those of the ended ones that nobody waited for any longer. */
  abandoned = 0;
  readonly sentAt: Float64Array;
  readonly endedAt: Float64Array;
  /** Of HTTP, or one of those above; 0 in flight. */
  readonly status: Int16Array;
  readonly runs: (string | undefined)[] = [];
  /** What could not be connected to, and why. */
  readonly reasons = new Map<string, number>();

  constructor(
    readonly rate: number,
    readonly count: number,
    /** By the platform's clock, in ms since 1970. */
    readonly startedAt: number,
  ) {
    this.sentAt = new Float64Array(count);
    this.endedAt = new Float64Array(count).fill(Number.NaN);
    this.status = new Int16Array(count);
  }

  get inFlight(): number {
    return this.sent - this.ended;
  }

  /** When the call is to be sent. */
  dueAt(call: number): number {
    return (call * 1_000) / this.rate;
  }

  start(call: number, at: number): void {
    this.sentAt[call] = at;
    this.sent = call + 1;
  }

  end(call: number, at: number, status: number, run?: string): void {
    if (this.status[call] !== inFlight) return;
    this.endedAt[call] = at;
    this.status[call] = status;
    this.runs[call] = run;
    this.ended++;
    if (status === noResponse) this.abandoned++;
  }

  hasSucceeded(call: number): boolean {
    const status = this.status[call] ?? 0;
    return status >= 200 && status < 300;
  }

  /** How late it was sent. A timer may be late by as much as it is coarse, and that is no wait of a caller. */
  lateMs(call: number): number {
    const late = (this.sentAt[call] ?? 0) - this.dueAt(call);
    return late > timerMs ? late : 0;
  }

  /** How long its caller has waited, since the moment in which it was due: a busy sender hides nothing. */
  durationMs(call: number): number {
    return (this.endedAt[call] ?? Number.NaN) - (this.sentAt[call] ?? 0) + this.lateMs(call);
  }
}

const timerMs = 2;
