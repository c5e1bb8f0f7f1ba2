import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkFiles, checkNode, checkProxy, checkSettings } from '../../../src/local/doctor/machine-checks.ts';
import { resolveSettings } from '../../../src/platform/config/settings.ts';
import { newFolder } from '../../support/files.ts';

/** The settings with that text in config.json, if any. */
function settingsWith(stored?: unknown, env: Record<string, string> = {}) {
  const folder = newFolder();
  if (stored !== undefined) writeFileSync(join(folder, 'config.json'), JSON.stringify(stored), { mode: 0o600 });
  const variables = { GANTRY_CONFIG_DIR: folder, ...env };
  return { folder, env: variables, settings: resolveSettings(variables, {}, () => {}) };
}

describe('doctor', () => {
  test.each([
    ['20.19.0', 'ok'],
    ['20.20.1', 'ok'],
    ['21.0.0', 'ok'],
    ['24.1.0', 'ok'],
    ['20.18.9', 'failed'],
    ['18.20.0', 'failed'],
  ])('judges Node %s: %s', (version, status) => {
    expect(checkNode(version)).toMatchObject({ check: 'node', status });
  });

  test.each<[stored: unknown, warnings: RegExp[]]>([
    [undefined, []],
    [{ profile: 'work', profiles: { work: { region: 'us-east-1' } } }, []],
    [{ profil: 'work' }, [/"profil" .*did you mean profile\?/]],
    [{ profiles: { work: { regiom: 'us-east-1' } } }, [/"regiom" in profile work .*did you mean region\?/]],
    [{ quite: 1, different: 2 }, [/"quite"/, /"different"/]],
  ])('finds unknown keys in config.json: %j', (stored, warnings) => {
    const found = checkSettings(settingsWith(stored).settings, []);
    if (warnings.length === 0) expect(found).toMatchObject([{ status: 'ok' }]);
    else {
      expect(found.map(({ status }) => status)).toEqual(warnings.map(() => 'warning'));
      expect(found.map(({ message, fix }) => `${message} ${fix ?? ''}`)).toEqual(
        warnings.map((pattern) => expect.stringMatching(pattern)),
      );
    }
  });

  test('says where the profile, the project and the region come from', () => {
    const stored = { profile: 'work', profiles: { work: { region: 'us-east-1' } } };
    const { settings } = settingsWith(stored, { GANTRY_PROJECT: 'p-1' });
    const [{ message } = { message: '' }] = checkSettings(settings, []);
    expect(message).toMatch(/profile work \(.+\), project p-1 \(GANTRY_PROJECT\), region us-east-1 \(profile.*\)/);
  });

  test('warns if others can write the folder or the file with the settings', () => {
    const { folder, settings, env } = settingsWith({});
    expect(checkFiles(settings, env)).toMatchObject([{ status: 'ok' }]);
    chmodSync(join(folder, 'config.json'), 0o622);
    expect(checkFiles(settings, env)).toMatchObject([{ status: 'warning', fix: `chmod go-w ${folder}/config.json` }]);
    chmodSync(folder, 0o770);
    expect(checkFiles(settings, env).map(({ fix }) => fix)).toEqual([
      `chmod go-w ${folder}`,
      `chmod go-w ${folder}/config.json`,
    ]);
  });

  test('does not mind if others can read them', () => {
    const { folder, settings, env } = settingsWith({});
    chmodSync(join(folder, 'config.json'), 0o644);
    expect(checkFiles(settings, env)).toMatchObject([{ status: 'ok' }]);
  });

  test('warns if a folder cannot be created where settings belong', () => {
    const file = join(newFolder(), 'file');
    writeFileSync(file, '');
    const env = { GANTRY_CONFIG_DIR: join(file, 'below') };
    const found = checkFiles(
      resolveSettings(env, {}, () => {}),
      env,
    );
    expect(found.map(({ status }) => status)).toContain('warning');
    expect(found[0]?.message).toContain(file);
  });

  test('accepts a folder that can be created', () => {
    const parent = newFolder();
    mkdirSync(join(parent, 'a'));
    const env = { GANTRY_CONFIG_DIR: join(parent, 'a', 'b', 'c') };
    expect(
      checkFiles(
        resolveSettings(env, {}, () => {}),
        env,
      ),
    ).toMatchObject([{ status: 'ok' }]);
  });

  test.each<[env: Record<string, string>, message: RegExp]>([
    [{}, /^none$/],
    [{ HTTPS_PROXY: 'http://proxy:8080' }, /^https \w+ http:\/\/proxy:8080\/?$/],
    [{ HTTP_PROXY: 'http://one:1', HTTPS_PROXY: 'http://two:2' }, /^https \w+ \S+two:2\/?, http \w+ \S+one:1/],
    [{ HTTPS_PROXY: 'http://proxy:8080', NO_PROXY: 'internal' }, /internal/],
  ])('names the proxies of %j', (env, message) => {
    expect(checkProxy(settingsWith(undefined, env).settings)).toMatchObject({
      status: 'ok',
      message: expect.stringMatching(message),
    });
  });

  test('does not print the password of a proxy', () => {
    const { settings } = settingsWith(undefined, { HTTPS_PROXY: 'http://ada:secret@proxy:8080' });
    expect(checkProxy(settings).message).not.toContain('secret');
  });
});
