import type { Context } from '../../context.ts';
import { type AppCost, getAppCost } from '../../contract/costs.ts';
import { UsageError } from '../../errors.ts';
import { localTime } from '../../output/format.ts';

/** What an app cost by day, from one moment's day to another's. The platform knows no range: days are left out here. */
export async function readAppCost(
  { api, project, progress }: Pick<Context, 'api' | 'project' | 'progress'>,
  app: string,
  { since, until }: { since?: number | undefined; until?: number | undefined },
): Promise<AppCost> {
  const [first, last] = [since, until].map((moment) => (moment === undefined ? undefined : dayOf(moment)));
  if (first && last && first > last) throw new UsageError(`--since ${first} is after --until ${last}`);
  const answer = await api(getAppCost, { project, app });
  const days = Object.entries(answer.costs ?? {})
    .filter(([day]) => (!first || day.slice(0, 10) >= first) && (!last || day.slice(0, 10) <= last))
    .sort(([one], [other]) => (one < other ? -1 : 1));
  if (days.length === 0) progress.note(`no costs of ${app}${first || last ? ' in that time' : ' yet'}`);
  return { ...answer, costs: Object.fromEntries(days) };
}

/** The day it is here at that moment: a date that was typed is that day, whatever the zone. */
function dayOf(moment: number): string {
  return localTime(new Date(moment).toISOString()).slice(0, 10);
}
