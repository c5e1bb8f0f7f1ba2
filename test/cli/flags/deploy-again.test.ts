import { readFileSync } from 'node:fs';
import { Command } from '@commander-js/extra-typings';
import { describe, expect, test } from 'vitest';
import type { FlagRules } from '../../../src/cli/command.ts';
import { deployAgain, deployFlags } from '../../../src/cli/flags/deploy.ts';

const flags = deployFlags(new Command()).options as (ReturnType<Command['createOption']> & Partial<FlagRules>)[];
const parse = (words: readonly string[]) =>
  deployFlags(new Command().exitOverride())
    .parse([...words], { from: 'user' })
    .opts();

/** A flag as somebody may type it. */
function typed({ long, required, optional, argChoices, parseArg, variadic }: (typeof flags)[number]): string[] {
  const name = long ?? '';
  if (!required && !optional) return [name];
  if (argChoices) return [name, argChoices.at(-1) ?? ''];
  if (parseArg && 'valueKind' in parseArg) return [name, parseArg.valueKind === 'number' ? '2.5' : '1h30m'];
  return variadic ? [name, 'one', name, 'two'] : [name, "it's one"];
}

describe('the same deploy again', () => {
  const ofDryRun = ['--dry-run', '--files', '--output', '--save-plan', '--detailed-exit-code'];
  const spent = [...ofDryRun, '--apply-plan'];

  test.each(flags.filter(({ long }) => !spent.includes(long ?? '')).map((flag) => [flag.long, flag] as const))(
    'has %s',
    (_, flag) => {
      const words = typed(flag);
      expect(deployAgain(parse(words)).argv).toEqual(['gantry', 'deploy', ...words]);
    },
  );

  test.each(spent)('has no %s', (name) => {
    const flag = flags.find(({ long }) => long === name);
    if (!flag) throw new Error(`no such flag: ${name}`);
    expect(deployAgain(parse(typed(flag))).argv).toEqual(['gantry', 'deploy']);
  });

  test('parses to the same, whatever the order and the spelling', () => {
    const words = [
      '--watch',
      '--smoke=run={"a":1}:-x',
      '--smoke',
      '/health',
      '--timeout=90500ms',
      '--preview',
      '--or-rollback',
    ];
    const { argv } = deployAgain(parse(words), { ifChanged: true });
    expect(parse(argv.slice(2))).toEqual({ ...parse(words), ifChanged: true });
  });
});

test('docs/deploying.md says which flags belong to both lines of a plan', () => {
  const text = readFileSync('docs/deploying.md', 'utf8').replaceAll('\n', ' ');
  const flagsIn = (sentence: RegExp) => sentence.exec(text)?.[1]?.match(/--[\w-]+/g) ?? [];
  const both = flagsIn(/decide what is sent, such as ([^.]*), belong to both/);
  const second = flagsIn(/both lines\. ([^.]*) belong to the second one only/);
  const isRefused = (long: string) => {
    const flag = flags.find((each) => each.long === long) as { conflictsWith?: string[] } | undefined;
    return flag?.conflictsWith?.includes('dryRun') ?? false;
  };
  expect([both.map(isRefused), second.map(isRefused)]).toEqual([
    [false, false, false],
    [true, true, true],
  ]);
});
