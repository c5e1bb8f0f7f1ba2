import { expect, test } from 'vitest';
import { compareSettings, createAppSettings, isPublic, makeSettings } from '../../../src/deploys/send/app-settings.ts';
import { type App, AppCreation } from '../../../src/platform/contract/apps.ts';
import { check } from '../../app/config-folder.ts';

async function read(toml: string) {
  const { config } = await check(`[cerebrium.deployment]\nname = "web"\n${toml}`);
  if (!config) throw new Error('the project is not valid');
  return config;
}

/** The settings that this file would change in a deployed app. */
async function changes(toml: string, app: object) {
  const config = await read(toml);
  const found = compareSettings(config, makeSettings(config, {}).body, { id: 'p-1-web', ...app } as App);
  return found.map(({ setting, from, to, byDefault }) => [setting, from, to, byDefault]);
}

const scaling = '[cerebrium.scaling]\nmin_replicas = 2\n';
const hardware = '[cerebrium.hardware]\ncompute = ["ADA_L4", "AMPERE_A10"]\n';

test.each<[string, string, object, unknown[][]]>([
  ['that is the same', scaling, { minReplicaCount: 2 }, []],
  ['that the file changes', scaling, { minReplicaCount: 5 }, [['scaling.min_replicas', 5, 2, false]]],
  ['that the file no longer sets', '', { minReplicaCount: 5 }, [['scaling.min_replicas', 5, 0, true]]],
  ['that is at its default and not in the file', '', { minReplicaCount: 0 }, []],
  [
    'that is off, though it is on by default',
    '',
    { disableAuth: false },
    [['deployment.disable_auth', false, true, true]],
  ],
  ['that the platform does not return', scaling, {}, []],
  ['that the platform returns as null', scaling, { minReplicaCount: null }, []],
  ['that the platform returns as empty text', '[cerebrium.hardware]\nregion = "us-east-1"', { region: '' }, []],
  ['whose default is not known', '', { region: 'eu-west-1' }, []],
  ['that is a list here and its first word there', hardware, { hardware: 'ADA_L4' }, []],
  [
    'that is a list here and its second word there',
    hardware,
    { hardware: 'AMPERE_A10' },
    [['hardware.compute', 'AMPERE_A10', ['ADA_L4', 'AMPERE_A10'], false]],
  ],
  ['that is the runtime', '', { runtime: 'custom' }, [['runtime', 'custom', 'cortex', false]]],
  ['that is the runtime, the same', '', { runtime: 'cortex' }, []],
])('a setting %s', async (_, toml, app, expected) => {
  expect(await changes(toml, app)).toEqual(expected);
});

/** Under other names than they are sent (spec 2.2, 2.4). */
const returned: Record<string, string> = { compute: 'hardware', provider: 'hardwareProvider' };

test.each([...Object.keys(AppCreation.entries), 'aFieldOfTomorrow'])(
  'field %s of the body is compared with the app, unless it says nothing of it',
  async (field) => {
    const shown = { id: 'p-1-web', [returned[field] ?? field]: 'one' } as unknown as App;
    const body = { name: 'web', [field]: 'other' };
    const rows = compareSettings(await read(''), body, shown).map(({ from, to }) => [from, to]);
    expect(rows).toEqual(/^(name|cliVersion)$/.test(field) ? [] : [['one', 'other']]);
  },
);

test('a partner in an own server has the settings of both, and the port of the server', async () => {
  const server = '[cerebrium.runtime.custom]\nentrypoint = ["./serve"]\nport = 81\nhealthcheck_endpoint = "/ok"\n';
  const partner = '[cerebrium.runtime.deepgram]\nport = 80\nmodel_name = "nova"\nlanguage = "en"\n';
  expect(createAppSettings(await read(server + partner))).toEqual({
    name: 'web',
    runtime: 'deepgram',
    partnerService: 'deepgram',
    modelName: 'nova',
    language: 'en',
    entrypoint: ['./serve'],
    port: 81,
    healthcheckEndpoint: '/ok',
  });
});

test.each([
  ['if the file says nothing', '', true],
  ['if the file turns authentication off', 'disable_auth = true', true],
  ['but not if callers need a token', 'disable_auth = false', false],
])('an app is public %s', async (_, toml, expected) => {
  expect(isPublic(await read(toml))).toBe(expected);
});
