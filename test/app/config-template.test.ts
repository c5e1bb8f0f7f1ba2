import { expect, test } from 'vitest';
import { projectTemplate, type TemplateOptions } from '../../src/app/template.ts';
import { check } from './config-folder.ts';

test.each<[string, TemplateOptions]>([
  ['as it is', { name: 'hello' }],
  ['with a name in capitals', { name: 'My_App.1' }],
  ['with an accelerator', { name: 'hello', compute: 'AMPERE_A10' }],
  ['with a region and a version', { name: 'hello', region: 'eu-north-1', pythonVersion: '3.13' }],
])('the template of gantry init has no problems, %s', async (_, options) => {
  const { 'cerebrium.toml': config, ...files } = projectTemplate(options);
  const { project, problems } = await check(config, files);
  expect(problems).toEqual([]);
  expect(project).toMatchObject({
    runtime: 'cortex',
    deployment: { disable_auth: false, python_version: options.pythonVersion ?? '3.12' },
    hardware: { compute: [options.compute ?? 'CPU'], ...(options.region && { region: options.region }) },
  });
  expect(files['main.py']).toContain('def run(name: str = "world")');
});
