import type { Context } from '../../context.ts';
import { type AppCost, getAppCost } from '../../contract/costs.ts';
import { UsageError } from '../../errors.ts';
import { localTime } from '../../output/format.ts';

/** Returns the cost of an app by day. The endpoint takes no range, so days are filtered here. */
export async function readAppCost(
  { api, project, progress }: Pick<Context, 'api' | 'project' | 'progress'>,
  app: string,
  { since, until }: { since?: number | undefined; until?: number | undefined },
): Promise<AppCost> {
  const [first, last] = [since, until].map((time) => (time === undefined ? undefined : localDay(time)));
  if (first && last && first > last) throw new UsageError(`--since ${first} is after --until ${last}`);
  const reply = await api(getAppCost, { project, app });
  const days = Object.entries(reply.costs ?? {})
    .filter(([day]) => (!first || day.slice(0, 10) >= first) && (!last || day.slice(0, 10) <= last))
    .sort(([one], [other]) => (one < other ? -1 : 1));
  if (days.length === 0) progress.note(`no costs of ${app}${first || last ? ' in this range' : ' yet'}`);
  return { ...reply, costs: Object.fromEntries(days) };
}

/** The local day: a date that was typed is that day in any time zone. */
function localDay(time: number): string {
  return localTime(new Date(time).toISOString()).slice(0, 10);
}
