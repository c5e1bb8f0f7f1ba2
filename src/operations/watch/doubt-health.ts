import type { Context } from '../../context.ts';
import type { Container } from '../../contract/containers.ts';
import type { Look } from './look.ts';
import { ObservedBuild } from './observed-build.ts';
import { ReplicaOwners } from './replica-owners.ts';
import { look, pollMs, transient, type WatchOptions } from './watch-build.ts';

/**
 * Looks twice at a build that was found healthy at a time (ms): why it may not be so any more. One list of replicas alone
 * tells neither whether it is a copy, nor how long they live. What is not shown does not speak for the build.
 */
export async function doubtHealth(context: Context, options: WatchOptions, at: number): Promise<string | undefined> {
  const owners = new ReplicaOwners(options.build, { isNew: true, isAlone: true });
  const observed = new ObservedBuild(options.build, { ...options, owners, isNew: true, servesSince: at });
  const doubt = (seen: Look) => observed.trouble()?.reason ?? whyNotAsWell(seen, observed, at);
  try {
    const first = await look(context, options, observed);
    observed.update(first);
    const found = doubt(first);
    if (found !== undefined || !observed.counts().replicas) return found;
    await context.delay(pollMs);
    const second = await look(context, options, observed);
    observed.update(second);
    return doubt(second) ?? whyOther(first, second, observed);
  } catch (error) {
    return `the platform did not answer: ${transient(error, context).message}`;
  }
}

/** An app without replicas that are kept may sleep. */
function whyNotAsWell({ containers, runsRefused, minReplicas = 0 }: Look, observed: ObservedBuild, at: number) {
  if (!containers) return 'its replicas are not listed';
  if (runsRefused !== undefined) return `calls of it are not known (${runsRefused})`;
  if (minReplicas === 0) return undefined;
  const running = observed.running(containers);
  if (running.length < minReplicas) return `replicas that run: ${running.length} of ${minReplicas}`;
  const isLater = ({ containerStartTimestamp }: Container) => Date.parse(containerStartTimestamp ?? '') > at;
  return running.every(isLater) ? 'its replicas have started again since' : undefined;
}

/** A replica that ends and comes back has another name, or another start. */
function whyOther(first: Look, second: Look, observed: ObservedBuild): string | undefined {
  const [before, now] = [first, second].map(({ containers = [] }) => observed.running(containers).map(lifeOf));
  const gone = before?.find((life) => !now?.includes(life));
  const isReplaced = now?.some((life) => !before?.includes(life));
  return gone !== undefined && isReplaced ? `replica ${gone.split(' ')[0]} has started again just now` : undefined;
}

function lifeOf({ containerId, containerStartTimestamp }: Container): string {
  return `${containerId} ${containerStartTimestamp ?? ''}`;
}
