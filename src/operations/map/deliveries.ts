import { randomBytes } from 'node:crypto';
import { after } from '../../clock.ts';
import type { Context } from '../../context.ts';
import { openReceiver, type ReceivedRequest, type Receiver, type ReceiverResponse } from '../../receiver/index.ts';
import { platformIsHere } from '../invoke/index.ts';
import { checkSignature, deliveryRunId, parseDeliveryUrl, readWebhookSecret } from '../webhooks/index.ts';

export interface DeliveryOptions {
  port: number | undefined;
  /** The URL under which the platform reaches this machine. */
  publicUrl: string | undefined;
  webhookSecretFile: string | undefined;
}

/** The webhook delivery of one run. */
export interface RunDelivery {
  arrived: Promise<ReceivedRequest>;
  /** Its result is recorded, or nobody wants it. The platform repeats a delivery that is not acknowledged. */
  acknowledge: (isRecorded: boolean) => void;
}

/** The platform makes three attempts, up to five seconds apart, after the run has ended. */
const maxDelayMs = 30_000;
/** If none of so many runs delivered, none is waited for any more. */
const maxMissed = 3;
/** A delivery may come before the response that has the run id. */
const maxUnknownMs = 10_000;

/** Receives the webhook deliveries of the runs of a map on this machine. */
export class Deliveries {
  readonly #slots = new Map<string, Slot>();
  #receiver!: Receiver;
  #arrived = 0;
  #missed = 0;

  private constructor(
    private readonly context: Context,
    readonly secret: string,
    private readonly publicUrl: URL | undefined,
  ) {}

  /** Undefined, with a warning, if the platform cannot reach this machine. */
  static async open(context: Context, options: DeliveryOptions): Promise<Deliveries | undefined> {
    const { port = 0, webhookSecretFile } = options;
    const publicUrl = options.publicUrl === undefined ? undefined : parseDeliveryUrl(options.publicUrl, '--public-url');
    if (!publicUrl && !platformIsHere(context)) {
      context.progress.warn({
        severity: 'warning',
        message: 'the results will be null: only the status of each run is known',
        why: 'the platform sends the result of an asynchronous call to a webhook, and cannot reach this machine',
        fix: 'pass the URL of a tunnel to this machine as --public-url, and its port as --port',
      });
      return undefined;
    }
    const secret = (await readWebhookSecret(context, webhookSecretFile)) ?? randomBytes(24).toString('base64url');
    const deliveries = new Deliveries(context, secret, publicUrl);
    const onRequest = (received: ReceivedRequest) => deliveries.#take(received);
    const onRejected = (why: string) => context.progress.note(`rejected ${why}`);
    deliveries.#receiver = await openReceiver({ host: '127.0.0.1', port, onRequest, onRejected });
    return deliveries;
  }

  /** The webhook URL for the platform. */
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
      arrived: slot.arrived,
      acknowledge: (isRecorded) => {
        this.#slots.delete(run);
        slot.answer(isRecorded);
      },
    };
  }

  /** Waits for the delivery of a run that has succeeded. */
  async wait({ arrived }: RunDelivery, signal: AbortSignal): Promise<ReceivedRequest | undefined> {
    const isHopeless = this.#arrived === 0 && this.#missed >= maxMissed;
    const received = await Promise.race([
      arrived,
      this.context.delay(isHopeless ? 0 : maxDelayMs, signal).then(() => undefined),
    ]);
    if (received) this.#arrived++;
    else this.#missed++;
    return received;
  }

  async close(): Promise<void> {
    for (const { answer } of this.#slots.values()) answer(false);
    await this.#receiver.close();
  }

  async #take(received: ReceivedRequest): Promise<ReceiverResponse> {
    const { progress, now } = this.context;
    const { why, status } = checkSignature(received, this.secret, { now: now() });
    if (why !== null) {
      progress.note(`rejected a delivery: ${why}`);
      return { status, body: `${why}\n` };
    }
    const run = deliveryRunId(received.headers);
    const slot = this.#slotOf(run);
    slot.arrive(received);
    const stop = after(maxUnknownMs, () => {
      if (slot.isExpected) return;
      this.#slots.delete(run);
      slot.answer(false);
    });
    const isRecorded = await slot.answered;
    stop();
    // The platform makes another attempt after a 404, and after no other error.
    return isRecorded ? { status: 200 } : { status: 404, body: 'not expected\n' };
  }

  #slotOf(run: string): Slot {
    const known = this.#slots.get(run);
    if (known) return known;
    const { promise: arrived, resolve: arrive } = deferred<ReceivedRequest>();
    const { promise: answered, resolve: answer } = deferred<boolean>();
    const slot = { arrived, arrive, answered, answer, isExpected: false };
    this.#slots.set(run, slot);
    return slot;
  }
}

interface Slot {
  arrived: Promise<ReceivedRequest>;
  arrive: (received: ReceivedRequest) => void;
  /** Whether the result is recorded. */
  answered: Promise<boolean>;
  answer: (isRecorded: boolean) => void;
  isExpected: boolean;
}

function deferred<T>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((resolvePromise) => {
    resolve = resolvePromise;
  });
  return { promise, resolve };
}
