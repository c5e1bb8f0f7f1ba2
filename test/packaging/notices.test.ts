import { expect, test } from 'vitest';
import { librariesIn, noticesFor } from '../../build/notices.js';

test('notices name each library of the bundle once, with the text of its license', () => {
  const text = noticesFor([
    'src/main.ts',
    'node_modules/commander/lib/command.js',
    'node_modules/commander/lib/option.js',
    'node_modules/@inquirer/core/dist/index.js',
    'node_modules/uplot/dist/uPlot.iife.min.js?raw',
    '\0rolldown/runtime.js',
  ]);
  const names = librariesIn(text).map(({ name }) => name);
  expect(names).toEqual(['@bomb.sh/tab', '@inquirer/core', 'commander', 'rolldown', 'uplot']);
  expect(text).toContain('Permission is hereby granted, free of charge');
});
