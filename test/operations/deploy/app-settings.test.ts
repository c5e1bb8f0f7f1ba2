import { expect, test } from 'vitest';
import type { App } from '../../../src/contract/apps.ts';
import { compareSettings, isPublic } from '../../../src/operations/deploy/app-settings.ts';
import { check } from '../../project/config-folder.ts';

async function read(toml: string) {
  const { project } = await check(`[cerebrium.deployment]\nname = "web"\n${toml}`);
  if (!project) throw new Error('the project is not valid');
  return project;
}

/** The settings that this file would change in a deployed app. */
async function changes(toml: string, app: object) {
  const found = compareSettings(await read(toml), { id: 'p-1-web', ...app } as App);
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

test.each([
  ['if the file says nothing', '', true],
  ['if the file turns authentication off', 'disable_auth = true', true],
  ['but not if callers need a token', 'disable_auth = false', false],
])('an app is public %s', async (_, toml, expected) => {
  expect(isPublic(await read(toml))).toBe(expected);
});
