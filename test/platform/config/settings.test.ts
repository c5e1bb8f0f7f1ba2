import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { resolveSettings, type SettingFlags } from '../../../src/platform/config/settings.ts';
import { newFolder } from '../../support/files.ts';

const stored = JSON.stringify({
  profile: 'work',
  profiles: {
    default: { project: 'p-default' },
    work: { project: 'p-work', region: 'eu-west-1', apiUrl: 'https://work.example' },
    spare: { project: 'p-spare' },
  },
});

describe('the value and the origin of a setting', () => {
  test.each<[what: string, env: Record<string, string>, found: string, origin: string, flags?: SettingFlags]>([
    ['flag over all', { GANTRY_PROJECT: 'p-env' }, 'project: p-flag', 'flag', { project: 'p-flag' }],
    ['environment over profile', { GANTRY_PROJECT: 'p-env' }, 'project: p-env', 'environment (GANTRY_PROJECT)'],
    [
      'our name first',
      { GANTRY_PROJECT: 'a', CEREBRIUM_PROJECT_ID: 'b' },
      'project: a',
      'environment (GANTRY_PROJECT)',
    ],
    ['the official name', { CEREBRIUM_PROJECT_ID: 'b' }, 'project: b', 'environment (CEREBRIUM_PROJECT_ID)'],
    ['empty is unset', { GANTRY_PROJECT: '' }, 'project: p-work', 'profile'],
    ['the stored profile', {}, 'project: p-work', 'profile'],
    ['another profile by flag', {}, 'project: p-spare', 'profile', { profile: 'spare' }],
    ['another profile by variable', { GANTRY_PROFILE: 'spare' }, 'project: p-spare', 'profile'],
    ['a missing profile', {}, 'project: undefined', 'not set', { profile: 'none' }],
    ['the region of the profile', {}, 'region: eu-west-1', 'profile'],
    ['a region of the environment', { GANTRY_REGION: 'us-west-2' }, 'region: us-west-2', 'environment (GANTRY_REGION)'],
    ['no region anywhere', {}, 'region: undefined', 'not set', { profile: 'spare' }],
  ])('%s', async (_, env, found, origin, flags = {}) => {
    const settings = resolveSettings({ GANTRY_CONFIG_DIR: newFolder({ 'config.json': stored }), ...env }, flags);
    const name = found.startsWith('project') ? 'project' : 'region';
    expect([`${name}: ${settings[name].value}`, settings[name].origin]).toEqual([found, origin]);
  });

  test.each([
    [{}, 'https://work.example', 'profile'],
    [{ GANTRY_API_URL: 'https://other.example/' }, 'https://other.example', 'environment (GANTRY_API_URL)'],
    [{ GANTRY_PROFILE: 'spare' }, 'https://rest.cerebrium.ai', 'default'],
  ])('the address of the platform, with %j', async (env, value, origin) => {
    const { addresses } = resolveSettings({ GANTRY_CONFIG_DIR: newFolder({ 'config.json': stored }), ...env }, {});
    expect(addresses.management).toEqual({ value, origin });
  });
});

describe('the folder of settings', () => {
  test.each([
    [{ GANTRY_CONFIG_DIR: '/own', XDG_CONFIG_HOME: '/xdg', HOME: '/home' }, '/own'],
    [{ XDG_CONFIG_HOME: '/xdg', HOME: '/home' }, join('/xdg', 'gantry')],
    [{ APPDATA: '/appdata', HOME: '/home' }, join('/appdata', 'gantry')],
    [{ HOME: '/home' }, join('/home', '.config', 'gantry')],
    [{ USERPROFILE: '/profile' }, join('/profile', '.config', 'gantry')],
  ])('with %j is %s', (env, folder) => {
    expect(resolveSettings(env, {}).folders.config).toBe(folder);
  });

  test('that does not exist is no error', () => {
    expect(resolveSettings({ GANTRY_CONFIG_DIR: '/nonexistent' }, {}).profile.value).toBe('default');
  });

  test('whose file is a folder is treated as empty', async () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'config.json'));
    writeFileSync(join(folder, 'config.json', 'x'), '');
    expect(resolveSettings({ GANTRY_CONFIG_DIR: folder }, {}).project.value).toBeUndefined();
  });
});

describe('the token travels over https only', () => {
  test.each([
    'https://example.com',
    'http://localhost:4100',
    'http://127.0.0.1',
    'http://127.8.8.8:1',
    'http://[::1]:2',
  ])('%s is used', (url) => {
    expect(resolveSettings({ GANTRY_API_URL: url }, {}).addresses.management.value).toBe(url);
  });

  test('the URL of another platform is used for logs too: its token is not sent to the default URL', () => {
    const env = { GANTRY_API_URL: 'http://127.0.0.1:1' };
    expect(resolveSettings(env, {}).addresses.logs.value).toBe('http://127.0.0.1:1');
    const own = { ...env, GANTRY_LOGS_URL: 'http://127.0.0.1:2' };
    expect(resolveSettings(own, {}).addresses.logs.value).toBe('http://127.0.0.1:2');
  });

  test.each([
    'http://example.com',
    'http://10.0.0.1',
    'http://localhost.example.com',
    'http://127.0.0.1.example.com',
    'ftp://localhost',
  ])('%s is refused with a fix', (url) => {
    expect(() => resolveSettings({ GANTRY_API_URL: url }, {})).toThrow(/it is not https/);
  });

  test('an invalid URL is reported with its origin', () => {
    expect(() => resolveSettings({ GANTRY_API_URL: 'nonsense' }, {})).toThrow('"nonsense" is not a URL');
  });
});

test.each([
  [{}, undefined],
  [
    { HTTPS_PROXY: 'http://p:1' },
    { http: undefined, https: { address: 'http://p:1', variable: 'HTTPS_PROXY' }, noProxy: '' },
  ],
  [
    { http_proxy: 'http://q:2', no_proxy: 'a,b' },
    { http: { address: 'http://q:2', variable: 'HTTP_PROXY' }, https: undefined, noProxy: 'a,b' },
  ],
  [
    { ALL_PROXY: 'p:1', https_proxy: 'https://q:2' },
    {
      http: { address: 'http://p:1', variable: 'ALL_PROXY' },
      https: { address: 'https://q:2', variable: 'HTTPS_PROXY' },
      noProxy: '',
    },
  ],
  [{ ALL_PROXY: 'socks5://p:1080' }, undefined],
  [{ NO_PROXY: 'a' }, undefined],
])('the proxy of %j', (env, proxy) => {
  expect(resolveSettings(env, {}).proxy).toEqual(proxy);
});
