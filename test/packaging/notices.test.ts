import { expect, test } from 'vitest';
import { librariesIn, noticesFor } from '../../build/notices.js';

test('notices name each library and its copyright once, and the same license once', () => {
  const text = noticesFor([
    'src/main.ts',
    'node_modules/commander/lib/command.js',
    'node_modules/commander/lib/option.js',
    'node_modules/@inquirer/core/dist/index.js',
    'node_modules/uplot/dist/uPlot.iife.min.js?raw',
    '\0rolldown/runtime.js',
  ]);
  const names = librariesIn(text).map(({ name }) => name);
  expect(names.sort()).toEqual(['@bomb.sh/tab', '@inquirer/core', 'commander', 'rolldown', 'uplot']);
  for (const holder of ['Simon Boudrias', 'Leon Sorokin', 'VoidZero Inc.']) {
    expect(text).toMatch(new RegExp(`^ {2}Copyright \\(c\\) .*${holder}`, 'm'));
  }
  expect(text.split('Permission is hereby granted, free of charge')).toHaveLength(3);
});
