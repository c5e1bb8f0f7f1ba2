import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AppConfig } from '../../../src/app/config.ts';
import { checkHourlyBound } from '../../../src/insight/cost/index.ts';
import { LimitError, NotFoundError } from '../../../src/kernel/errors.ts';
import type { Context } from '../../../src/platform/context.ts';
import { getApp, listApps } from '../../../src/platform/contract/apps.ts';

interface Known {
  hardware: string;
  gpuCount: number;
  cpu: number;
  memory: number;
  costPerSecondCents: number | undefined;
}

const kinds = ['CPU', 'ADA_L4', 'AMPERE_A10'];

const known = fc.record<Known>({
  hardware: fc.constantFrom(...kinds),
  gpuCount: fc.constantFrom(1, 2),
  cpu: fc.constantFrom(2, 4),
  memory: fc.constantFrom(8, 16),
  costPerSecondCents: fc.option(fc.double({ min: 0.001, max: 1, noNaN: true }), { nil: undefined }),
});

/** What is thrown, and which requests were made. The apps are `app-0` and so on; the first one may be the one that is deployed. */
async function check(
  hardware: Partial<Known> & { compute: string[] },
  apps: Known[],
  isDeployed: boolean,
  maxHourly: number,
) {
  const requests: unknown[] = [];
  const named = apps.map((app, index) => ({ ...app, id: `p-1-${index === 0 && isDeployed ? 'web' : `app-${index}`}` }));
  const api = async (endpoint: unknown, { app }: { app?: string }) => {
    requests.push(endpoint);
    if (endpoint === listApps) return named.map(({ id, hardware }) => ({ id, hardware }));
    const found = named.find(({ id }) => id === `p-1-${app}`);
    if (!found) throw new NotFoundError('not found');
    return found;
  };
  const config = { name: 'web', runtime: 'cortex', deployment: {}, hardware, scaling: { max_replicas: 3 } };
  const failure = await checkHourlyBound(
    { api, project: 'p-1' } as unknown as Context,
    config as unknown as AppConfig,
    {
      maxHourly,
      keepScaling: false,
    },
  ).catch((error: unknown) => error);
  return { failure, requests };
}

test('a deploy is refused if it can cost more, or if that is not known, and nothing is created', async () => {
  const wanted = fc.record({
    compute: fc.constantFrom(...kinds),
    gpus: fc.constantFrom(1, 2),
    cpu: fc.constantFrom(2, 4),
  });
  const bound = fc.double({ min: 0.01, max: 200, noNaN: true });
  const seen = { refused: 0, unknown: 0, allowed: 0 };
  await fc.assert(
    fc.asyncProperty(
      wanted,
      fc.array(known, { maxLength: 6 }),
      fc.boolean(),
      bound,
      async (app, apps, isDeployed, max) => {
        const hardware = { compute: [app.compute], gpu_count: app.gpus, cpu: app.cpu, memory: 8 };
        const { failure, requests } = await check(hardware as never, apps, isDeployed, max);
        const alike = apps.filter(
          ({ hardware, gpuCount, cpu, memory, costPerSecondCents }) =>
            hardware === app.compute &&
            cpu === app.cpu &&
            memory === 8 &&
            costPerSecondCents &&
            (hardware === 'CPU' || gpuCount === app.gpus),
        );
        const dollars = ((alike[0]?.costPerSecondCents ?? Number.NaN) * 3 * 3_600) / 100;
        expect(failure instanceof LimitError).toBe(!(dollars <= max));
        expect(requests.every((endpoint) => endpoint === listApps || endpoint === getApp)).toBe(true);
        seen[Number.isNaN(dollars) ? 'unknown' : failure ? 'refused' : 'allowed']++;
        if (Number.isNaN(dollars)) expect((failure as Error).message).toContain('not known');
      },
    ),
    { numRuns: 1_000, seed: 27 },
  );
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(20);
});

test('the fix names a number of replicas and a bound that are enough', async () => {
  const a10 = { hardware: 'AMPERE_A10', gpuCount: 1, cpu: 2, memory: 8, costPerSecondCents: 0.04 };
  const wanted = { compute: ['AMPERE_A10'], gpu_count: 1, cpu: 2, memory: 8 };
  const { failure } = await check(wanted as never, [a10], true, 2);
  expect((failure as LimitError).message).toBe('web can cost $4.32 an hour, the bound is $2.00');
  expect((failure as LimitError).facts).toMatchObject({
    why: '3 replicas at $1.44 an hour',
    fix: 'max_replicas = 1, or --max-hourly 4.32',
  });
});

test('of several kinds of hardware, the most expensive one counts', async () => {
  const known = (hardware: string, costPerSecondCents: number) => ({
    hardware,
    gpuCount: 1,
    cpu: 2,
    memory: 8,
    costPerSecondCents,
  });
  const wanted = { compute: ['ADA_L4', 'AMPERE_A10'], gpu_count: 1, cpu: 2, memory: 8 };
  const both = [known('ADA_L4', 0.01), known('AMPERE_A10', 0.04)];
  expect(String((await check(wanted as never, both, false, 2)).failure)).toContain('$4.32');
  expect(String((await check(wanted as never, both.slice(0, 1), false, 2)).failure)).toContain('not known');
});
