import { Agent, request } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { vi } from 'vitest';
import { jsonReply } from '../../../src/emulator/http/reply.ts';
import type { Emulator } from '../../../src/emulator/index.ts';
import type { AppRecord } from '../../../src/emulator/model/state/records.ts';
import { ReplicaStarter } from '../../../src/emulator/running/replica-starter.ts';
import type { Replica } from '../../../src/emulator/running/replicas/replica.ts';
import type { ReplicaStart } from '../../../src/emulator/running/replicas/replica-pool.ts';
import { RestartingReplica } from '../../../src/emulator/running/replicas/restarting-replica.ts';

/** A call that is made of an app: when, and how long it runs, in ms. */
export interface PlannedCall {
  at: number;
  runtimeMs: number;
}

/**
 * Apps of an emulator whose replicas take their time by its clock instead of running code: weeks of calls pass in seconds.
 * All else is the emulator's own: requests, routing, scaling, records of runs, bills. The clock moves from one event to the
 * next once the emulator has done what follows from the last one.
 */
export class VirtualReplicas {
  readonly #agenda: { at: number; act: () => void }[] = [];
  readonly #alive = new Map<RestartingReplica, { executing: number; isReady: boolean }>();
  #inFlight = 0;
  #started = 0;
  #isPlaying = false;

  /** Replicas that start while nothing is played, such as that of a deploy, are ready at once. */
  constructor(
    private readonly clock: { now: number },
    private readonly startMs: () => number,
  ) {
    vi.spyOn(ReplicaStarter.prototype, 'start').mockImplementation((start) => this.#start(start));
  }

  /** Calls an app, and resolves when all calls have ended. The clock is then at the last end. */
  async play({ url, project, store }: Emulator, app: string, calls: readonly PlannedCall[]): Promise<void> {
    const { clock } = this;
    const settings = () => (store.apps.get(`${project}-${app}`) as AppRecord).settings;
    const before = store.runs.size;
    this.#isPlaying = true;
    const agent = new Agent({ keepAlive: true });
    const arrivals = calls.toSorted((a, b) => a.at - b.at);
    for (let made = 0; made < arrivals.length || this.#agenda.length > 0; ) {
      const call = arrivals[made];
      const event = this.#agenda[0];
      if (event && event.at <= (call?.at ?? Number.POSITIVE_INFINITY)) {
        this.#agenda.shift();
        clock.now = event.at;
        event.act();
      } else if (call) {
        clock.now = call.at;
        made++;
        this.#inFlight++;
        // Not by fetch, which takes three times as long.
        const asked = request(`${url}/v4/${project}/${app}/run`, { method: 'POST', agent });
        asked.once('response', (response) => response.resume().once('close', () => this.#inFlight--));
        asked.end(String(call.runtimeMs));
      }
      while (store.runs.size < before + made || !this.#isSettled(settings())) await setImmediate();
    }
    this.#isPlaying = false;
    agent.destroy();
  }

  /** Whether each call is where it stays until the clock moves: in a replica, or in the queue because all are full. */
  #isSettled({ maxReplicaCount, replicaConcurrency }: AppRecord['settings']): boolean {
    let held = 0;
    let areFull = this.#alive.size >= maxReplicaCount;
    for (const [{ runs, isReady }, { executing, isReady: willBe }] of this.#alive) {
      if (isReady !== willBe || (isReady && executing !== runs.size)) return false;
      held += runs.size;
      areFull &&= runs.size >= replicaConcurrency;
    }
    return held === this.#inFlight || (areFull && held < this.#inFlight);
  }

  #start({ app: { id }, build }: ReplicaStart): { name: string; replica: RestartingReplica } {
    const { clock } = this;
    const state = { executing: 0, isReady: false };
    let end = (_: string) => {};
    const ended = new Promise<string>((done) => {
      end = done;
    });
    const process: Replica = {
      ready: this.#after(this.#isPlaying ? this.startMs() : 0, () => {
        state.isReady = true;
      }),
      pid: undefined,
      ended,
      call: async ({ body }) => {
        const runtimeMs = Buffer.isBuffer(body) ? Number(String(body)) : 0;
        state.executing++;
        await this.#after(runtimeMs, () => {
          state.executing--;
        });
        return jsonReply({});
      },
      stop: async () => {
        this.#alive.delete(replica);
        end('it was stopped');
      },
    };
    const replica = new RestartingReplica({ start: () => process, now: () => clock.now, pauseMs: 0, print: () => {} });
    this.#alive.set(replica, state);
    return { name: `${id}-${build.id.slice(0, 8)}-${(this.#started++).toString(36)}`, replica };
  }

  /** Does something when so much time has passed, at once if it is none. */
  #after(ms: number, act: () => void): Promise<void> {
    if (ms === 0) return Promise.resolve(act());
    const at = this.clock.now + ms;
    return new Promise((done) => {
      const place = this.#agenda.findIndex((other) => other.at > at);
      const both = () => done(act());
      this.#agenda.splice(place < 0 ? this.#agenda.length : place, 0, { at, act: both });
    });
  }
}
