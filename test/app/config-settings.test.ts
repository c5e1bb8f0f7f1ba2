import { expect, test } from 'vitest';
import { listAppSettings } from '../../src/app/settings.ts';
import { closestName } from '../../src/kernel/closest-name.ts';
import { check } from './config-folder.ts';

async function settings(text: string) {
  const { config } = await check(`[cerebrium.deployment]\nname = "app"\n${text}`);
  if (!config) throw new Error('the project is not valid');
  return Object.fromEntries(listAppSettings(config).map((setting) => [setting.field, setting]));
}

test('settings have the configured and the default values', async () => {
  const found = await settings('[cerebrium.scaling]\ncooldown = 60');
  expect(found.name).toMatchObject({ section: 'deployment', key: 'name', value: 'app' });
  expect(found.cooldownPeriodSeconds).toMatchObject({ value: 60, default: 10, unit: 'seconds' });
  expect(found.disableAuth).toMatchObject({ value: undefined, default: true });
  expect(found.region).toMatchObject({ value: undefined, default: undefined, absent: 'picked by the platform' });
  expect(found.entrypoint).toBeUndefined();
});

test('defaults follow the hardware', async () => {
  const onCpu = await settings('');
  const onGpu = await settings('[cerebrium.hardware]\ncompute = "ADA_L4"');
  expect([onCpu.replicaConcurrency?.default, onCpu.gpuCount?.default]).toEqual([100, 0]);
  expect([onGpu.replicaConcurrency?.default, onGpu.gpuCount?.default]).toEqual([1, 1]);
});

test('settings of the runtime section are settings of the app', async () => {
  const custom = await settings('[cerebrium.runtime.custom]\nentrypoint = "python main.py"\nport = 80');
  expect(custom.entrypoint?.value).toEqual(['python', 'main.py']);
  expect(custom.port).toMatchObject({ section: 'runtime.custom', value: 80, default: 8000 });
  const partner = await settings('[cerebrium.runtime.rime]\n[cerebrium.runtime]\ncontainer_runtime = "v2"');
  expect(partner.modelName).toMatchObject({ section: 'runtime.rime', value: undefined });
  expect(partner.containerRuntime?.value).toBe('v2');
});

test.each([
  ['max_replica', 'max_replicas'],
  ['dependancies', 'dependencies'],
  ['NAME', 'name'],
  ['nme', 'name'],
  ['colour', undefined],
  ['', undefined],
])('%j is closest to %s', (written, name) => {
  expect(closestName(written, ['name', 'max_replicas', 'min_replicas', 'dependencies'])).toBe(name);
});
