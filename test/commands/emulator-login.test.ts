import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { gantry, machine, newFolder, secretsIn, someone } from '../support/index.ts';

/** What a person does in the browser: reads the code in the address, and sends the form of its page. */
async function sendForm(url: string, opened: string, secret: string) {
  const user_code = new URL(opened).searchParams.get('user_code') ?? '';
  const answer = await fetch(`${url}/activate`, { method: 'POST', body: new URLSearchParams({ user_code, secret }) });
  return answer.status;
}

test('a login at the emulator succeeds only after its owner has approved it', async () => {
  const { emulator, run, tokens } = await someone();
  const statuses: number[] = [];
  const approve = async (secret: string) => {
    const [device] = emulator.store.devices.values();
    if (device)
      statuses.push(await sendForm(emulator.url, `${emulator.url}/activate?user_code=${device.userCode}`, secret));
  };
  let waits = 0;
  const { code } = await run('login', {
    meanwhile: async () => {
      waits += 1;
      await approve(waits < 3 ? 'wrong' : emulator.approvalSecret);
    },
  });
  expect([code, statuses]).toEqual([0, [403, 403, 200]]);
  expect(tokens()).toBeDefined();
});

test('emulator start tells only its owner how to approve logins', async () => {
  const { stdout, stderr } = await gantry(['emulator', 'start', '--port', '0', '--no-seed', '--json'], {
    stop: /"environment"/,
  });
  const { url, approveUrl, environment } = JSON.parse(stdout.split('\n')[0] ?? '');
  expect(approveUrl).toBe(`${url}/activate#owner=${environment.GANTRY_EMULATOR_SECRET}`);
  expect(environment.GANTRY_EMULATOR_SECRET).toMatch(/^[\w-]{32}$/);
  expect(stderr).toContain(`open ${approveUrl} in your browser`);
  expect(secretsIn({ stdout: '', stderr })).toEqual([]);
});

test.skipIf(spawnSync('curl', ['--version']).status !== 0)(
  'the commands in docs/emulator.md approve a login, and pass the secret to no program as an argument (needs curl)',
  async () => {
    const [recipe = ''] = /^printf .*GANTRY_EMULATOR_SECRET.*$/m.exec(readFileSync('docs/emulator.md', 'utf8')) ?? [];
    expect(recipe).toMatch(/^printf [^|]* \| curl --data @- "\$GANTRY_API_URL\/activate"$/);
    const script = `
      begun=$(curl -s -d '{}' "$GANTRY_API_URL/device-authorization")
      code=$(printf %s "$begun" | sed 's/.*"user_code":"\\([^"]*\\)".*/\\1/')
      ${recipe} -sf`;
    expect((await gantry(['emulator', 'exec', '--no-seed', '--', 'sh', '-c', script], { env: machine() })).code).toBe(
      0,
    );
    const wrong = script.replace('$GANTRY_EMULATOR_SECRET', 'wrong');
    expect((await gantry(['emulator', 'exec', '--no-seed', '--', 'sh', '-c', wrong], { env: machine() })).code).toBe(
      22,
    );
  },
);

test.each(['localhost:3000', 'http://localhost:3000/app', 'ftp://localhost', '*', 'null', ''])(
  'the origin %j is refused with exit code 2',
  async (origin) => {
    for (const command of [['emulator', 'start'], ['dev']]) {
      expect(await gantry([...command, `--allow-origin=${origin}`])).toExit(2, 'http://localhost:3000');
    }
  },
);

test('an allowed origin may call apps of emulator start', async () => {
  const script = `
    const { GANTRY_API_URL: url, GANTRY_PROJECT: project } = process.env;
    const call = (origin) => fetch(url + '/v4/' + project + '/none', { method: 'POST', headers: { origin } });
    const [allowed, other] = [await call('http://localhost:3000'), await call('http://localhost:3001')];
    process.exit(allowed.status === 404 && other.status === 403 ? 0 : 1);`;
  const words = ['emulator', 'exec', '--allow-origin', 'http://localhost:3000/', '--data-dir', `${newFolder()}/data`];
  expect((await gantry([...words, '--', process.execPath, '--input-type=module', '-e', script])).code).toBe(0);
});
