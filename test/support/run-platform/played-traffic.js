/**
 * Plays calls against replicas, an event after another, from docs/platform.md alone: it shares no code with the client. A
 * call that finds no free slot waits in the proxy, and a replica starts if those that start already are too few for all that
 * wait. Ready replicas take what waits, the oldest first. Idle ones end after the cooldown, down to min_replicas.
 */

/** @typedef {import('./types.ts').PlayedCall} PlayedCall @typedef {import('./types.ts').TrafficPlan} TrafficPlan */
/** @typedef {{ name: string, born: number, ready: number, running: number, reserved: number, quietSince: number, lease: number }} Pod */

/** @param {TrafficPlan} plan */
export function playTraffic({ arrivals, settings, startMs, balancing, bindsStarts, from, to }) {
  const { minReplicas, maxReplicas, cooldownSeconds, concurrency } = settings;
  /** @type {Pod[]} */
  let pods = [];
  /** @type {PlayedCall[]} */
  const calls = [];
  /** @type {{ at: number, runtimeMs: number }[]} */
  const proxy = [];
  let [turn, born, paidMs] = [0, 0, 0];
  const agenda = new Agenda();

  const create = (/** @type {number} */ now, /** @type {number} */ takes) => {
    const pod = {
      name: `pod-${born++}`,
      born: now,
      ready: now + takes,
      running: 0,
      reserved: 0,
      quietSince: now,
      lease: 0,
    };
    pods.push(pod);
    return pod;
  };
  const begin = (
    /** @type {Pod} */ pod,
    /** @type {{ at: number, runtimeMs: number }} */ call,
    /** @type {number} */ now,
  ) => {
    pod.running++;
    pod.lease++;
    const coldStartMs = pod.ready > call.at ? pod.ready - Math.max(call.at, pod.born) : 0;
    calls.push({
      at: call.at,
      runtimeMs: call.runtimeMs,
      coldStartMs,
      queueMs: now - call.at + routingMs,
      replica: pod.name,
    });
    agenda.add(now + call.runtimeMs, () => finish(pod, now + call.runtimeMs));
  };
  const finish = (/** @type {Pod} */ pod, /** @type {number} */ now) => {
    pod.running--;
    drain(pod, now);
    rest(pod, now);
  };
  const rest = (/** @type {Pod} */ pod, /** @type {number} */ now) => {
    if (pod.running + pod.reserved > 0) return;
    pod.quietSince = now;
    const lease = ++pod.lease;
    agenda.add(now + cooldownSeconds * 1000, () => {
      if (pod.lease !== lease || pods.length <= minReplicas) return;
      pods = pods.filter((each) => each !== pod);
      paidMs += Math.max(0, Math.min(to, now + cooldownSeconds * 1000) - pod.born);
    });
  };
  const drain = (/** @type {Pod} */ pod, /** @type {number} */ now) => {
    while (proxy.length > 0 && pod.running + pod.reserved < concurrency) {
      const call = proxy.shift();
      if (call) begin(pod, call, now);
    }
  };
  const choose = (/** @type {number} */ now) => {
    const free = pods.filter((pod) => pod.ready <= now && pod.running + pod.reserved < concurrency);
    if (balancing === 'first') return free[0];
    if (balancing === 'least-busy') return free.sort((a, b) => a.running - b.running)[0];
    return free.length === 0 ? undefined : free[turn++ % free.length];
  };
  const arrive = (/** @type {{ at: number, runtimeMs: number }} */ call) => {
    const pod = choose(call.at);
    if (pod) return begin(pod, call, call.at);
    if (bindsStarts) return bind(call);
    proxy.push(call);
    const coming = pods.filter(({ ready }) => ready > call.at).length;
    if (proxy.length <= coming * concurrency || pods.length >= maxReplicas) return;
    const started = create(call.at, startMs());
    agenda.add(started.ready, () => {
      drain(started, started.ready);
      rest(started, started.ready);
    });
  };
  /** The call waits for one replica, although another one may be free before. */
  const bind = (/** @type {{ at: number, runtimeMs: number }} */ call) => {
    let pod = pods.find((each) => each.ready > call.at && each.reserved < concurrency);
    if (!pod && pods.length < maxReplicas) pod = create(call.at, startMs());
    if (!pod) {
      proxy.push(call);
      return;
    }
    const own = pod;
    own.reserved++;
    own.lease++;
    agenda.add(own.ready, () => {
      own.reserved--;
      begin(own, call, own.ready);
      drain(own, own.ready);
    });
  };

  for (let kept = 0; kept < minReplicas; kept++) create(from, 0);
  for (const call of arrivals) {
    agenda.passTo(call.at);
    arrive(call);
  }
  agenda.passTo(Number.POSITIVE_INFINITY);
  for (const pod of pods) paidMs += Math.max(0, to - pod.born);
  return { calls: calls.sort((a, b) => a.at - b.at), replicaSeconds: paidMs / 1000 };
}

/** What the proxy itself takes. */
const routingMs = 6;

/** What is to happen, by time. Times that are equal keep their order. */
class Agenda {
  /** @type {{ at: number, number: number, act: () => void }[]} */
  #entries = [];
  #number = 0;

  /** @param {number} at @param {() => void} act */
  add(at, act) {
    const entry = { at, number: this.#number++, act };
    let [low, high] = [0, this.#entries.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = /** @type {typeof entry} */ (this.#entries[middle]);
      // The next one is at the end.
      if (other.at > at || (other.at === at && other.number < entry.number)) low = middle + 1;
      else high = middle;
    }
    this.#entries.splice(low, 0, entry);
  }

  /** @param {number} time */
  passTo(time) {
    for (let next = this.#entries.at(-1); next && next.at <= time; next = this.#entries.at(-1)) {
      this.#entries.pop();
      next.act();
    }
  }
}
