import { beforeAll, describe, expect, test } from 'vitest';
import { agree, type Call, deployWeb, emulatorForAll, gantry, inFrontOf, someone } from '../support/index.ts';

/** As ids, JavaScript makes one number of these. */
const [one, two, three] = ['1234567890123456788', '1234567890123456789', '1234567890123456790'];
const time = JSON.stringify(new Date());

const emulator = emulatorForAll({ real: false });

beforeAll(async () => {
  await deployWeb(emulator);
});

/** Runs a command at a platform that answers calls of one kind with this text. */
async function at(isMeant: RegExp, body: string | ((call: Call) => string), ...words: string[]) {
  const env = await inFrontOf(emulator, (call) => {
    if (!isMeant.test(call.route)) return undefined;
    return { body: typeof body === 'string' ? body : body(call) };
  });
  return gantry(words, { emulator, env });
}

const logs = [one, two, three].map((id) => `{"logLine":"printed","timestamp":${time},"logId":${id}}`);
const runs = [one, two].map((id) => `{"id":${id},"createdAt":${time},"status":"success","async":true}`);
const builds = [one, two].map((id) => `{"id":${id},"createdAt":${time},"status":"ready"}`);
const apps = [one, two].map((id) => `{"id":${id},"name":"web","status":"ready"}`);

describe('ids that are numbers of 64 bits stay apart', () => {
  test('an error with status 200 repeats numbers with their digits', async () => {
    const error = `{"success":false,"errors":{"limit":${one}}}`;
    expect(await at(/^DELETE /, error, 'apps', 'delete', 'web', '--confirm', 'web')).toExit(1, one);
  });

  test.each([
    ['logs web', 'logId', [one, two, three], /\/logs$/, `{"logs":[${logs}]}`],
    ['runs list web', 'id', [two, one], /\/runs\/charts$/, `{"items":[${runs}]}`],
    ['runs list web --async', 'id', [two, one], /\/runs$/, `{"items":[${runs}]}`],
    ['builds list web', 'id', [two, one], /\/builds$/, `[${builds}]`],
    ['apps list', 'id', [one, two], /\/apps$/, `[${apps}]`],
  ])('%s', async (line, field, ids, isMeant, body) => {
    const { code, stdout, stderr } = await at(isMeant, body, ...line.split(' '), '--json');
    const found = [...stdout.matchAll(new RegExp(`"${field}": ?"(\\d+)"`, 'g'))].map(([, id]) => id);
    expect([code, found.sort(), stderr]).toEqual([0, [...ids].sort(), '']);
  });

  test('and are asked for as they were sent', async () => {
    const tokens: (string | null)[] = [];
    const reply = ({ query }: Call) => {
      const token = query.get('nextToken');
      tokens.push(token);
      return token ? `{"logs":[${logs[0]}]}` : `{"logs":[${logs[1]}],"hasMore":true,"nextPageToken":${three}}`;
    };
    expect((await at(/\/logs$/, reply, 'logs', 'web', '--tail', '2')).code).toBe(0);
    expect(tokens).toEqual([null, three]);
  });
});

test.each([
  '12345678901234567890',
  '-9223372036854775808',
  '1.0',
  '1e400',
  '-0',
  '1E5',
  '[1.50,{"in":9007199254740993}]',
])('a value that is passed through is shown as it was sent: %s', async (value) => {
  const app = `{"id":"${emulator.project}-web","name":"web","status":"ready","extra":${value}}`;
  for (const line of ['apps list', 'apps get web']) {
    const list = line === 'apps list';
    const { stdout } = await at(
      list ? /\/apps$/ : /\/apps\/[^/]+$/,
      list ? `[${app}]` : app,
      ...line.split(' '),
      '--json',
    );
    expect(stdout.replace(/\s/g, '')).toContain(`"extra":${value}`);
  }
});

test.each([
  ['at a login', 'login', 'POST /token', '{"accessToken":12345678901234567890}', 'accessToken'],
  ['at a renewal', 'apps list', 'POST /oauth2/token', '{"access_token":5}', 'access_token'],
])('a token that is a number is none: %s', async (_, line, route, body, field) => {
  const { emulator, run, logIn, tokens, clock } = await someone();
  if (line !== 'login') await logIn();
  clock.now += 24 * 3_600_000;
  const before = tokens();
  const platform = await inFrontOf(emulator, (call) => (call.route === route ? { body } : undefined));
  const env = { ...platform, GANTRY_TOKEN: '', GANTRY_PROJECT: '' };
  const { code, stderr } = await run(line, { env, meanwhile: () => agree(emulator) });
  expect([code, stderr]).toEqual([70, expect.stringContaining(`returned an unexpected reply: ${field}: is missing`)]);
  expect(tokens()).toEqual(before);
});
