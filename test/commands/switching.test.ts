import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { deployWeb, emulatorForAll, gantry, newFolder, smallApp } from '../support/index.ts';

let home: string;

const emulator = emulatorForAll({ real: false });

beforeAll(async () => {
  await deployWeb(emulator);
  const greet = 'def run(prompt="nobody"):\n    print("hello " + prompt)\n\ndef greet(name):\n    run(name)\n';
  home = newFolder({ ...smallApp(), 'greet.py': greet, 'model.bin': 'weights', 'config/x': '' });
  for (const path of ['/remote/path', '/results.json', '/models/a.bin']) emulator.volume().write(path, path);
  emulator.volume('eu-north-1').write('/results.json', 'north');
});

/** Variables of a machine whose settings belong to this test. */
const env = () => ({ GANTRY_CONFIG_DIR: join(home, 'config') });
const run = (line: string) => gantry(line.split(' '), { emulator, cwd: home, env: env() });

/** From the documentation of the official client and READMEs of apps, with how each ends and what shows its meaning. */
test.each<[line: string, code: number, shows: RegExp]>([
  ['login', 9, /fix pass a token .*gantry login --token < FILE/],
  ['init my-first-project', 0, /my-first-project\/cerebrium\.toml\n/],
  ['init chat --dir services', 0, /services\/chat\/cerebrium\.toml\n/],
  ['deploy --config-file ./cerebrium.toml', 0, /\/web\n/],
  ['deploy --name classifier', 9, /this folder has deployed web, and classifier would be a new app/],
  ['deploy --name classifier --new', 0, /\/classifier\n/],
  ['deploy --disable-confirmation', 0, /\/web\n/],
  ['deploy --disable-syntax-check --disable-confirmation', 0, /\/web\n/],
  ['deploy --no-color', 0, /\/web\n/],
  ['deploy --log-level INFO --disable-build-logs -y', 0, /\/web\n/],
  ['run greet.py::run --prompt ada', 0, /hello ada|simulated: python3 not found/],
  ['run greet.py::run --prompt=ada -r us-east-1', 0, /hello ada|simulated: python3 not found/],
  ['run -r us-east-1 greet.py', 0, /hello nobody|simulated: python3 not found/],
  ['run greet.py::greet --name ada', 0, /--name is passed to greet/],
  ['cp ./model.bin -r us-east-1', 0, /copied 1 file/],
  ['cp model.bin deepgram-models/model.bin', 0, /copied 1 file/],
  ['download remote/path ./local/path', 0, /copied 1 file/],
  ['download results.json -r eu-north-1', 0, /copied 1 file/],
  ['ls --region us-east-1', 0, /^models\/\t/m],
  ['ls models/', 0, /^a\.bin\t/m],
  ['ls -o json', 0, /"name": "results\.json"/],
  ['rm remote/path', 9, /fix pass --yes/],
  ['region set us-east-1', 0, /region to us-east-1/],
  ['region get', 0, /^us-east-1\n/],
  ['project set p-12345678', 0, /p-12345678/],
  ['projects list -o json', 0, /"id": "p-12345678"/],
  ['project current', 0, /p-12345678/],
  ['apps list', 0, /^web\t/m],
  ['app list --output json', 0, /"name": "web"/],
  ['apps get p-12345678-web', 0, /^endpoint\t/m],
  [
    'apps scale p-12345678-web --cooldown 60 --min-replicas 0 --max-replicas 5 --response-grace-period 900',
    0,
    /^scaling\.max_replicas\t1\t5$/m,
  ],
  ['apps scale p-12345678-web --cooldown 120 --no-color', 0, /^scaling\.cooldown\t60\t120$/m],
  ['apps delete p-12345678-classifier', 9, /fix pass --confirm classifier/],
  ['logs web --no-follow --since 1h', 0, /^/],
  ['runs list web --async', 0, /no runs match/],
  ['containers list web -o json', 0, /^\[/],
  ['secrets ls', 0, /no secrets yet/],
  ['secrets add HF_TOKEN=hf-abc --app web', 0, /visible in the shell history[\s\S]*HF_TOKEN/],
  ['config set default-region eu-north-1', 0, /region to eu-north-1/],
  ['config telemetry disable', 2, /gantry has no telemetry/],
  ['config edit', 2, /gantry config set NAME VALUE/],
  ['version', 0, /\d+\.\d+\.\d+/],
  ['completion bash', 0, /complete .*gantry/],
  ['rm -r eu-north-1 /models/', 2, /gantry rm --region eu-north-1 \/models\//],
  ['run model.bin', 2, /error: /],
  ['scale web --cooldown 90', 0, /^scaling\.cooldown\t\d+\t90$/m],
  ['get p-12345678-web', 0, /^endpoint\t/m],
  ['deploy -yv', 0, /\/web\n[\s\S]*debug: POST /],
  ['--config-file cerebrium.toml deploy --detach=false -y', 0, /\/web\n/],
  ['metrics resources web --start 2026-11-20T00:00:00Z --end 2026-11-21T00:00:00Z', 0, /nothing was measured|\t/],
  [
    'ls /persistent-storage/models',
    6,
    /apps see this volume as \/persistent-storage.*\n {2}fix write default:\/models$/m,
  ],
  ['login --api-key private-25d0', 2, /a token is not passed as an argument[\s\S]*gantry login --token < FILE/],
  ['secrets set HF_TOKEN hf_abcdefgh1234', 2, /fix gantry secrets set HF_TOKEN --from-file -/],
])('cerebrium %s', async (line, code, shows) => {
  const outcome = await run(line);
  expect(outcome.stdout + outcome.stderr).toMatch(shows);
  expect(outcome.code).toBe(code);
});

test('what was downloaded is where the official client puts it', async () => {
  await run('download results.json --region us-east-1');
  expect(readFileSync(join(home, 'results.json'), 'utf8')).toBe('/results.json');
  await run('download models/ --region us-east-1');
  expect(readFileSync(join(home, 'models/a.bin'), 'utf8')).toBe('/models/a.bin');
});

describe('a secret that was an argument', () => {
  test('is used, never repeated, and warned about', async () => {
    const { stdout, stderr, code } = await run('secrets add API_KEY=sk-very-secret --debug');
    expect(code).toBe(0);
    expect(emulator.store.secrets.get(emulator.project)).toMatchObject({ API_KEY: 'sk-very-secret' });
    expect(stdout + stderr).not.toContain('very-secret');
    expect(stderr).toContain('warning: the value on the command line is visible');
  });

  test('is not what a line to type reads from stdin: nothing is there', async () => {
    emulator.store.secrets.set(emulator.project, { API_KEY: 'old' });
    const { code, stderr } = await run('secrets add API_KEY=new OTHER=2 --no-input');
    expect([code, stderr]).toEqual([
      9,
      expect.stringContaining('fix pass --yes: gantry secrets set API_KEY OTHER --from-env --no-input --yes'),
    ]);
  });

  test('--service-account-token is the token of this command', async () => {
    const words = ['apps', 'list', '-o', 'json', '--service-account-token', emulator.token];
    const { code, stderr } = await gantry(words, { emulator, env: { ...env(), GANTRY_TOKEN: 'stored-elsewhere' } });
    expect(code).toBe(0);
    expect(stderr).toContain('set GANTRY_TOKEN instead');
    expect(stderr).not.toContain(emulator.token);
  });

  test('save-auth-config stores tokens and project', async () => {
    const place = newFolder({ 'x/y': '' });
    const own = { GANTRY_CONFIG_DIR: place, GANTRY_TOKEN: '', GANTRY_PROJECT: '' };
    const words = ['save-auth-config', emulator.token, 'refresh-1', 'p-12345678'];
    const { code, stderr } = await gantry(words, { emulator, env: own });
    expect(code).toBe(0);
    expect(stderr).not.toContain(emulator.token);
    const stored = JSON.parse(readFileSync(join(place, 'credentials.json'), 'utf8'));
    expect(stored.profiles.default).toEqual({ token: emulator.token, refreshToken: 'refresh-1' });
    expect((await gantry(['whoami'], { emulator, env: own })).stdout).toContain('p-12345678');
  });
});

test('an error of a translated command line is JSON with -o json', async () => {
  const { code, json } = await run('app get nobody -o json');
  expect(code).toBe(6);
  expect(json()).toMatchObject({ error: { code: 'not-found' } });
});

test('a command line that gantry knows is never translated', async () => {
  expect(await run('deploy --nmae x')).toExit(2, 'did you mean --name?');
});

describe('the login of the official client', () => {
  const config = 'accesstoken: ""\nserviceaccounttoken: abc\nproject: p-1\n';

  test('is offered to somebody who is not logged in', async () => {
    const own = { ...env(), HOME: newFolder({ '.cerebrium/config.yaml': config }), GANTRY_TOKEN: '' };
    const { code, stderr, json } = await gantry(['apps', 'list', '--json'], { emulator, env: own });
    expect(code).toBe(4);
    expect(stderr).toContain('fix gantry login --import');
    expect(json()).toMatchObject({ error: { next: ['gantry', 'login', '--import', '--json'] } });
  });

  test.each(['CEREBRIUM_API_KEY', 'CEREBRIUM_TOKEN'])('is not in %s, which old instructions name', async (name) => {
    const own = { ...env(), HOME: newFolder({ 'x/y': '' }), GANTRY_TOKEN: '', [name]: 't' };
    expect(await gantry(['apps', 'list'], { emulator, env: own })).toExit(4, `${name} is not read`);
  });

  test('is not imported without the address that belongs to it', async () => {
    const place = newFolder({ '.cerebrium/config.yaml': config });
    const own = {
      GANTRY_CONFIG_DIR: join(place, 'own'),
      HOME: place,
      REST_API_URL: 'https://dev.example.com',
    };
    expect(await gantry(['login', '--import'], { env: own })).toExit(2, 'REST_API_URL is set');
    expect(existsSync(join(place, 'own', 'credentials.json'))).toBe(false);
    await gantry(['config', 'set', 'api-url', 'https://dev.example.com'], { env: own });
    expect((await gantry(['login', '--import'], { env: own })).code).toBe(0);
  });
});

describe('REST_API_URL and LOGSTREAM_URL', () => {
  const addresses = { REST_API_URL: 'https://dev.example.com/', LOGSTREAM_URL: 'wss://logs.example.com' };
  const origins = async (more: Record<string, string>) => {
    const { json } = await gantry(['config', 'list', '--json'], { env: { ...env(), ...addresses, ...more } });
    const settings = json() as { name: string; value: string; origin: string }[];
    return ['api-url', 'logs-url'].map((name) => settings.find((setting) => setting.name === name)?.value);
  };
  const own = ['https://dev.example.com', 'https://logs.example.com'];

  test.each<[what: string, more: Record<string, string>, used: boolean]>([
    ["are used with the official client's token", { CEREBRIUM_SERVICE_ACCOUNT_TOKEN: 't' }, true],
    ['are ignored with a stored token', {}, false],
    ['are ignored with GANTRY_TOKEN', { CEREBRIUM_SERVICE_ACCOUNT_TOKEN: 't', GANTRY_TOKEN: 'g' }, false],
  ])('%s', async (_, more, used) => {
    const found = await origins(more);
    if (used) expect(found).toEqual(own);
    else expect(found.join()).not.toContain('example.com');
  });

  test('do not send a call of an app to another platform', async () => {
    const more = { CEREBRIUM_SERVICE_ACCOUNT_TOKEN: emulator.token, REST_API_URL: emulator.url };
    const outcome = await gantry(['invoke', 'web', '-p', 'p-12345678'], { env: { ...env(), ...more } });
    expect(outcome).toExit(2, 'fix set GANTRY_INFERENCE_URL');
  });
});
