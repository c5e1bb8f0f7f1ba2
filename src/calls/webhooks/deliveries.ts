import { randomBytes } from 'node:crypto';
import { after } from '../../kernel/clock.ts';
import { deferred, onceFor } from '../../kernel/once.ts';
import type { Context } from '../../platform/context.ts';
import { type Listening, openReceiver, type ReceivedRequest, type ReceiverResponse } from '../receiver/index.ts';
import { parseDeliveryUrl } from './forward.ts';
import { checkSignature, deliveryRunId, readWebhookSecret } from './signature.ts';

export interface DeliveryOptions {
  /** A free one if undefined. */
  port?: number | undefined;
  /** The URL under which the platform reaches this machine. */
  publicUrl?: string | undefined;
  webhookSecretFile?: string | undefined;
}

/** The webhook delivery of one run. */
export interface RunDelivery {
  arrived: Promise<ReceivedRequest>;
  /** Its result is recorded, or nobody wants it. The platform repeats a delivery that is not acknowledged. */
  acknowledge: (isRecorded: boolean) => void;
}

/** The platform makes three attempts, up to five seconds apart, after the run has ended. */
export const maxDeliveryDelayMs = 30_000;
/** If none of so many runs delivered, none is waited for any more. */
const maxMissed = 3;
/** A delivery may come before the response that has the run id. */
const maxUnknownMs = 10_000;

const recorded: ReceiverResponse = { status: 200 };
/** The platform makes another attempt after a 404, and after no other error. */
const notExpected: ReceiverResponse = { status: 404, body: 'not expected\n' };
const ofAnotherRun: ReceiverResponse = { status: 400, body: 'delivery of another run\n' };

/** Receives the webhook deliveries of the runs of a command on this machine. */
export class Deliveries {
  readonly #slots = new Map<string, Slot>();
  #receiver!: Listening;
  #onlyRun: string | undefined;
  /** What became of the last delivery that was rejected. */
  rejected: string | undefined;
  #arrived = 0;
  #missed = 0;

  private constructor(
    private readonly context: Context,
    readonly secret: string,
    private readonly publicUrl: URL | undefined,
  ) {}

  static async open(context: Context, options: DeliveryOptions): Promise<Deliveries> {
    const { port = 0, webhookSecretFile } = options;
    const publicUrl = options.publicUrl === undefined ? undefined : parseDeliveryUrl(options.publicUrl, '--public-url');
    const secret = (await readWebhookSecret(context, webhookSecretFile)) ?? randomBytes(24).toString('base64url');
    const deliveries = new Deliveries(context, secret, publicUrl);
    const onRequest = (received: ReceivedRequest) => deliveries.#take(received);
    const onRejected = (why: string) => context.progress.note(`rejected ${why}`);
    deliveries.#receiver = await openReceiver({ host: '127.0.0.1', port, onRequest, onRejected });
    return deliveries;
  }

  get url(): string {
    return this.publicUrl?.href ?? `${this.#receiver.url}/`;
  }

  /** Whether runs of an earlier command deliver here: the address of each command is another one. */
  get hasOldAddress(): boolean {
    return this.publicUrl !== undefined;
  }

  expect(run: string): RunDelivery {
    const slot = this.#slotOf(run);
    slot.isExpected = true;
    return {
      arrived: slot.arrival.promise,
      acknowledge: (isRecorded) => this.#answer(run, isRecorded ? recorded : notExpected),
    };
  }

  /** Expects one run; the deliveries of all others are refused. */
  expectOnly(run: string): RunDelivery {
    this.#onlyRun = run;
    for (const other of this.#slots.keys()) if (other !== run) this.#answer(other, ofAnotherRun);
    return this.expect(run);
  }

  /** Waits for the delivery of a run that has succeeded. */
  async wait({ arrived }: RunDelivery, signal: AbortSignal, maxMs = Infinity): Promise<ReceivedRequest | undefined> {
    const isHopeless = this.#arrived === 0 && this.#missed >= maxMissed;
    const delayMs = isHopeless ? 0 : Math.min(maxMs, maxDeliveryDelayMs);
    const received = await Promise.race([arrived, this.context.delay(delayMs, signal).then(() => undefined)]);
    if (received) this.#arrived++;
    else this.#missed++;
    return received;
  }

  async close(): Promise<void> {
    for (const run of this.#slots.keys()) this.#answer(run, notExpected);
    await this.#receiver.close();
  }

  async #take(received: ReceivedRequest): Promise<ReceiverResponse> {
    const { progress, now } = this.context;
    const { why, status } = checkSignature(received, this.secret, { now: now() });
    if (why !== null) {
      this.rejected = `rejected a delivery: ${why}`;
      progress.note(this.rejected);
      return { status, body: `${why}\n` };
    }
    const run = deliveryRunId(received.headers);
    if (this.#onlyRun !== undefined && run !== this.#onlyRun) return ofAnotherRun;
    const slot = this.#slotOf(run);
    slot.arrival.resolve(received);
    const stop = after(maxUnknownMs, () => {
      if (!slot.isExpected) this.#answer(run, notExpected);
    });
    const response = await slot.answer.promise;
    stop();
    return response;
  }

  #slotOf(run: string): Slot {
    return onceFor(this.#slots, run, newSlot);
  }

  #answer(run: string, response: ReceiverResponse): void {
    this.#slots.get(run)?.answer.resolve(response);
    this.#slots.delete(run);
  }
}

type Slot = ReturnType<typeof newSlot>;

function newSlot() {
  return { arrival: deferred<ReceivedRequest>(), answer: deferred<ReceiverResponse>(), isExpected: false };
}
