import type { Command as Commander, OptionValues } from '@commander-js/extra-typings';
import { findContainer } from '../../calls/logs/index.ts';
import type { Context } from '../../platform/context.ts';
import { resolutions } from '../../platform/contract/metrics.ts';
import type { ChartRange } from '../views/timeline.ts';
import { rangeFlags } from './range.ts';
import { zoneFlag } from './values.ts';

/** Adds the flags of commands that show what replicas did over time. */
export function metricsFlags<Inputs extends unknown[], Options extends OptionValues>(
  command: Commander<Inputs, Options>,
) {
  return rangeFlags(command)
    .option('--container <name>', 'only show this container; a part of its name is enough')
    .addOption(command.createOption('--resolution <resolution>', 'number of points').choices(resolutions))
    .option('--timezone <zone>', 'time zone, such as Europe/Berlin (default: local)', zoneFlag);
}

interface MetricsFlags {
  container?: string | undefined;
  resolution?: (typeof resolutions)[number] | undefined;
}

/** The query of both metrics endpoints; times in RFC 3339. */
export async function metricsQuery(
  context: Pick<Context, 'api' | 'project' | 'signal'>,
  app: string,
  { container: given, resolution }: MetricsFlags,
  { since, until }: ChartRange,
) {
  const [start, end] = [since, until].map((time) => new Date(time).toISOString());
  const container = given === undefined ? undefined : await findContainer(context, app, given);
  return { start, end, container_id: container, resolution };
}
