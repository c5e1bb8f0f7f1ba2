import { beforeEach, describe, expect, test } from 'vitest';
import { empty } from '../support/account.ts';
import { altering, answering, emulatorForEach, expectErrorDocument, gantry, targetOf } from '../support/index.ts';

const emulator = emulatorForEach();

beforeEach(async () => {
  give(['p-1', 'p-2']);
});

const give = (grants: unknown[] | null | undefined) =>
  empty(emulator, { serviceAccounts: [{ id: 'sa-1', name: 'ci', ...(grants !== undefined && { grants }) }] });
const grants = () => emulator.store.accounts.get(emulator.project)?.serviceAccounts[0]?.grants;
const sent = () => emulator.calls.filter(({ endpoint }) => endpoint === 'updateServiceAccount');
/** The platform lists these grants, also after a change. */
const againstFixedGrants = async (grants: unknown[], line: string) =>
  gantry(['service-accounts', ...line.split(' '), '--json'], {
    env: {
      GANTRY_API_URL: await answering({ serviceAccounts: [{ id: 'sa-1', grants }] }),
      GANTRY_TOKEN: emulator.token,
      GANTRY_PROJECT: 'p-1',
    },
  });
const run = (line: string) => gantry(['service-accounts', ...line.split(' ')], { emulator });

describe('the list', () => {
  test.each([
    [['p-1', 'p-2'], '2\tp-1, p-2'],
    [[{ id: 'p-1' }, { projectId: 'p-2', id: 'grant-7' }], '2\tp-1, p-2'],
    [[{ role: 'all' }], '1\t{"role":"all"}'],
    [[{ role: 'all' }, { role: 'one' }], '2\t{"role":"all"}, {"role":"one"}'],
    [undefined, '\t'],
    [[], '0\t'],
  ])('counts and names grants such as %j', async (given, shown) => {
    give(given);
    const { stdout } = await run('list');
    expect(stdout.split('\n')[0]).toBe(`sa-1\tci\t\t\t${shown}`);
  });

  test('passes grants through in JSON as they came', async () => {
    give([{ projectId: 'p-2', since: 'May' }]);
    expect((await run('list --json=grants')).json()).toEqual([{ grants: [{ projectId: 'p-2', since: 'May' }] }]);
  });
});

describe('a change', () => {
  test.each([
    ['grant sa-1 p-3 p-2', ['p-1', 'p-2', 'p-3']],
    ['revoke sa-1 p-1 --yes', ['p-2']],
    ['set-grants sa-1 p-3 p-1 p-3 --yes', ['p-3', 'p-1']],
    ['set-grants sa-1 p-3 p-2 p-1', ['p-3', 'p-2', 'p-1']],
  ])('by %s sends the whole list, and shows it before and after', async (line, after) => {
    const { code, stdout, stderr } = await run(line);
    expect(code).toBe(0);
    expect(stdout).toBe(`updated: sa-1 has access to ${after.join(', ')}\n`);
    expect(stderr).toBe(`project ${targetOf(emulator)}\nbefore  p-1, p-2\nafter   ${after.join(', ')}\n`);
    expect(sent().map(({ body }) => body)).toEqual([{ grants: after }]);
    expect(grants()).toEqual(after);
  });

  test('in JSON has the grants before and after', async () => {
    expect((await run('grant sa-1 p-3 --json')).json()).toEqual({
      serviceAccount: 'sa-1',
      before: ['p-1', 'p-2'],
      after: ['p-1', 'p-2', 'p-3'],
      changed: true,
      confirmed: true,
    });
  });

  test.each(['grant sa-1 p-2', 'revoke sa-1 p-7', 'set-grants sa-1 p-2 p-1'])(
    'by %s of the same grants sends nothing',
    async (line) => {
      const { code, stdout, stderr } = await run(line);
      expect([code, stdout, stderr]).toEqual([
        0,
        'unchanged: sa-1 has access to p-1, p-2\n',
        `project ${targetOf(emulator)}\n`,
      ]);
      expect(sent()).toEqual([]);
    },
  );

  test('that would leave no project is refused with exit code 2', async () => {
    const outcome = await run('revoke sa-1 p-1 p-2 --json');
    expect(outcome.code).toBe(2);
    expect(outcome.stderr).toContain('must keep access to at least one project');
    expect(outcome.stderr).toContain('fix gantry service-accounts grant sa-1 PROJECT, then revoke the others');
    expectErrorDocument(outcome);
    expect(sent()).toEqual([]);
  });

  test.each([
    ['of an unknown format', ['p-1', { role: 'all' }]],
    ['that are not listed', undefined],
  ])('to grants %s is refused', async (_, given) => {
    give(given);
    expect(await run('grant sa-1 p-3')).toExit(1, 'have an unknown format');
    expect(sent()).toEqual([]);
  });

  test.each([
    [{ id: 'p-1' }],
    [{ id: 'grant-1', project: 'Our project' }],
    [{ projectId: 'p-1', project_id: 'p-2' }],
    [{ projectId: 'p-1', role: 'viewer' }],
    [{ projectId: 'p-1', revoked: true }],
    [{ projectId: 'p-1', expiresAt: '2026-01-01T00:00:00Z' }],
    [{ projectId: null, id: 'p-1' }],
    [['p-1']],
    [''],
    [null],
    [7],
  ])('is refused if the grant %j is not understood', async (grant) => {
    give(['p-2', grant]);
    for (const line of ['grant sa-1 p-3', 'revoke sa-1 p-2']) {
      const outcome = await run(`${line} --yes`);
      expect(outcome.code).toBe(1);
      expect(outcome.stderr).toContain(`have an unknown format: ${JSON.stringify(grant)}`);
      expect(outcome.stderr).toContain('fix gantry service-accounts set-grants sa-1 PROJECT replaces all of them');
    }
    expect(sent()).toEqual([]);
    expect((await run('set-grants sa-1 p-2')).code).toBe(9);
    const replaced = await run('set-grants sa-1 p-2 --yes --json');
    expect(replaced.json()).toMatchObject({ before: ['p-2', JSON.stringify(grant)], after: ['p-2'], confirmed: true });
    expect(grants()).toEqual(['p-2']);
  });

  test.each([
    [{ id: 'grant-123', project: 'p-3' }],
    [{ id: 'grant-123', projectId: 'p-3', createdAt: '2026-01-01T00:00:00Z' }],
    [{ project_id: 'p-3' }],
    [{ project: { id: 'p-3', name: 'third' } }],
  ])('to the grant %j keeps its project', async (grant) => {
    give([grant]);
    expect((await run('grant sa-1 p-new --json')).json()).toMatchObject({ before: ['p-3'], after: ['p-3', 'p-new'] });
    expect(grants()).toEqual(['p-3', 'p-new']);
  });

  test.each([
    ['grant sa-1 p-2', ['p-1'], 'p-1 instead of p-1, p-2'],
    ['grant sa-1 p-2', [], 'nothing instead of p-2'],
    ['revoke sa-1 p-1 --yes', ['p-1', 'p-2'], 'p-1, p-2 instead of p-2'],
    ['set-grants sa-1 p-1 --yes', ['p-1', 'p-2'], 'p-1, p-2 instead of p-1'],
  ])('%s fails if the platform accepts the change but still lists %j', async (line, now, difference) => {
    const outcome = await againstFixedGrants(now, line);
    expect(outcome.code).toBe(1);
    expect(outcome.stderr).toContain('the platform accepted the change, but sa-1 has other grants');
    expect(outcome.stderr).toContain(`it has access to ${difference}`);
    expect(outcome.json()).toMatchObject({ error: { details: { now } } });
  });

  test('that cannot be confirmed succeeds with a warning', async () => {
    let listings = 0;
    const unclear = { body: { serviceAccounts: [{ id: 'sa-1', grants: [{ role: 'all' }] }] } };
    const env = await altering(emulator, (method) => (method === 'GET' && ++listings > 1 ? unclear : undefined));
    const outcome = await gantry(['service-accounts', 'grant', 'sa-1', 'p-3'], { emulator, env });
    expect(outcome).toExit(0, 'cannot be confirmed: the grants of sa-1 have an unknown format');
  });

  test('of an account without grants adds the first', async () => {
    give(null);
    expect((await run('grant sa-1 p-3')).stderr).toBe(`project ${targetOf(emulator)}\nbefore  none\nafter   p-3\n`);
  });

  test.each(['grant', 'revoke', 'set-grants'])(
    'by %s of an unknown account exits with 6 and names it',
    async (verb) => {
      const outcome = await run(`${verb} sa-none p-1 --json`);
      expect(outcome).toExit(6, 'service account sa-none not found');
      expectErrorDocument(outcome);
    },
  );

  test.each(['grant', 'revoke', 'set-grants'])('by %s needs a project, and a token', async (verb) => {
    expect((await run(`${verb} sa-1`)).code).toBe(2);
    const words = ['service-accounts', verb, 'sa-1', 'p-1'];
    expect((await gantry(words, { emulator, env: { GANTRY_TOKEN: '' } })).code).toBe(4);
    expect(emulator.calls).toEqual([]);
  });
});
