import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import { withAppName } from '../../src/app/set-config-value.ts';

const cases: [title: string, before: string, after: string][] = [
  [
    'a written name is replaced',
    '[cerebrium.deployment]\nname = "old" # x\n',
    '[cerebrium.deployment]\nname = "new" # x\n',
  ],
  [
    'a byte-order mark stays',
    "\ufeff[cerebrium.deployment]\nname = 'old'\n",
    '\ufeff[cerebrium.deployment]\nname = "new"\n',
  ],
  [
    'a missing name is added',
    '[cerebrium.deployment]\r\nuse_uv = true\r\n',
    '[cerebrium.deployment]\r\nname = "new"\r\nuse_uv = true\r\n',
  ],
  [
    'a missing section is added',
    '[cerebrium.hardware]\ncpu = 2\n',
    '[cerebrium.hardware]\ncpu = 2\n\n[cerebrium.deployment]\nname = "new"\n',
  ],
  ['a dotted name is replaced', 'cerebrium.deployment.name = "old"\n', 'cerebrium.deployment.name = "new"\n'],
  [
    'an inline table gets one',
    '[cerebrium]\ndeployment = { use_uv = true }\n',
    '[cerebrium]\ndeployment = { name = "new", use_uv = true }\n',
  ],
  ['an empty inline table gets one', '[cerebrium]\ndeployment = {}\n', '[cerebrium]\ndeployment = { name = "new" }\n'],
];

test.each(cases)('--name replaces the name in the file: %s', async (_, before, after) => {
  const renamed = await withAppName(before, 'new');
  expect(renamed).toBe(after);
  const { cerebrium } = parse(renamed.replace('\ufeff', '')) as { cerebrium: { deployment: { name: string } } };
  expect(cerebrium.deployment.name).toBe('new');
});
