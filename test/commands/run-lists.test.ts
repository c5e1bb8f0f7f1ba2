import { describe, expect, test } from 'vitest';
import { emulatorForAll, gantry, jsonLines, newFolder, serving } from '../support/index.ts';

const hour = 3_600_000;
const now = Date.UTC(2026, 10, 20, 12);
const clock = { now };
const emulator = emulatorForAll({ real: false, now: () => clock.now });

/** One run every quarter of an hour, for three days: the newest is `r-0`. Every seventh fails, every fifth is asynchronous. */
const runs = Array.from({ length: 288 }, (_, index) => ({
  id: `r-${index}`,
  createdAt: new Date(now - index * (hour / 4) - 60_000).toISOString(),
  method: 'POST',
  statusCode: index % 7 === 6 ? 503 : 200,
  async: index % 5 === 0,
  podName: 'web-0',
  coldstartTimeMs: index % 10 === 0 ? 4_000 : 0,
  totalResponseTimeMs: 100 + index,
}));
type Run = (typeof runs)[number];

interface Server {
  order?: (listed: Run[]) => Run[];
  /** Runs on a page, which a token leads to; all of them without. */
  pageSize?: number;
  hides?: keyof Run;
}

/** A platform that ignores every query parameter but the token. */
const platform = ({ order = (all) => all, pageSize, hides }: Server) =>
  serving((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://platform');
    const isChart = pathname.endsWith('/charts');
    const from = pageSize ? Number(searchParams.get('nextToken') ?? 0) : 0;
    const page = order(runs.slice()).slice(from, from + (pageSize ?? runs.length));
    const items = page.map((run) => ({ ...run, ...(hides && { [hides]: undefined }) }));
    const nextToken = from + items.length < runs.length ? String(from + items.length) : undefined;
    const item = runs.find(({ id }) => pathname.endsWith(`/runs/${id}`));
    const isKnown = item || pathname.endsWith('/runs') || isChart;
    response.statusCode = isKnown ? 200 : 404;
    response.setHeader('content-type', 'application/json');
    response.setHeader('date', new Date(now).toUTCString());
    response.end(JSON.stringify(isKnown ? { items, nextToken, item } : { message: 'not found' }));
  });

const within = (ms: number) => (run: Run) => Date.parse(run.createdAt) >= now - ms;
const failed = ({ statusCode }: Run) => statusCode === 503;
const lines: [flags: string, (run: Run) => boolean][] = [
  ['', within(24 * hour)],
  ['--since 1h', within(hour)],
  ['--since 3d', () => true],
  [`--since 3d --until ${new Date(now - 50 * hour).toISOString()}`, (run) => !within(50 * hour)(run)],
  ['--status failure', (run) => within(24 * hour)(run) && failed(run)],
  ['--status success --since 3d', (run) => !failed(run)],
  ['--status processing', () => false],
  ['--status-code 503 --since 2d', (run) => within(48 * hour)(run) && failed(run)],
  ['--startup 2s..', (run) => within(24 * hour)(run) && run.coldstartTimeMs > 0],
  ['--startup ..0s', (run) => within(24 * hour)(run) && run.coldstartTimeMs === 0],
  ['--response 150ms..', (run) => within(24 * hour)(run) && run.totalResponseTimeMs >= 150],
  ['--async --since 2d', (run) => within(48 * hour)(run) && run.async],
  ['--async --status failure', (run) => within(24 * hour)(run) && run.async && failed(run)],
  ['--response ..150ms', (run) => within(24 * hour)(run) && run.totalResponseTimeMs <= 150],
];
/** How a list comes decides what is read of it; what is kept of that is the same for all. */
const few = lines.filter(([flags]) => /^(|--since 1h|--since 3d|--async --since 2d|--status processing)$/.test(flags));
const servers: [string, Server, typeof lines][] = [
  ['ignores every parameter', {}, lines],
  ['ignores every parameter, and has pages', { pageSize: 40 }, few],
  ['begins with the oldest', { pageSize: 40, order: (all) => all.reverse() }, few],
  ['has no order', { pageSize: 40, order: (all) => all.sort((a, b) => (a.id < b.id ? -1 : 1)) }, few],
];

describe.each(servers)('a platform whose list %s', (_, server, asked) => {
  const ask = async (line: string) => {
    const env = { GANTRY_API_URL: await platform(server) };
    return gantry(line.split(' ').filter(Boolean), { emulator, clock, env, cwd: newFolder() });
  };
  const idsOf = (json: unknown) => (json as Run[]).map(({ id }) => id);

  test.each(asked)('gives the runs that were asked for: %s', async (flags, matches) => {
    const wanted = runs.filter(matches).map(({ id }) => id);
    const all = await ask(`runs list web --json --all ${flags}`);
    expect([all.code, idsOf(all.json())], all.stderr).toEqual([0, wanted]);
    const isTold = all.stderr.includes('the platform does not filter runs as it was asked');
    // Only the list has those that were asynchronous, and it takes no other filter.
    const asksChart = !flags.includes('--async');
    expect(isTold).toBe(asksChart && (wanted.length < runs.length || flags.includes('until')));
    expect(idsOf((await ask(`runs list web --json --limit 7 ${flags}`)).json())).toEqual(wanted.slice(0, 7));
  });

  test('finds the latest, and those of a copy', async () => {
    expect((await ask('runs get web latest --json')).json()).toMatchObject({ id: 'r-0' });
    expect((await ask('runs get web latest:failed --json')).json()).toMatchObject({ id: 'r-6' });
    const { stdout } = await ask('runs export web --since 30h');
    const kept = jsonLines(stdout).map((each) => each.id);
    expect(kept.toReversed()).toEqual(runs.filter(within(30 * hour)).map(({ id }) => id));
  });
});

test('runs without a time are listed, and it is told', async () => {
  const env = { GANTRY_API_URL: await platform({ hides: 'createdAt' }) };
  const { json, stderr } = await gantry(['runs', 'list', 'web', '--json', '--limit', '5'], { emulator, clock, env });
  expect((json() as Run[]).map(({ id }) => id)).toEqual(['r-0', 'r-1', 'r-2', 'r-3', 'r-4']);
  expect(stderr).toContain('5 runs may be outside of the range: their time is not listed');
});
