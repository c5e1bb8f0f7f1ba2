import { expect, test } from 'vitest';
import { reference } from '../../../src/cli/reference.ts';
import { drawPlan } from '../../chaos/plans/index.js';

test('chaos plans type only commands and flags that gantry has', async () => {
  const { commands, flags } = await reference();
  const spelled = (all: typeof flags) => all.flatMap(({ flags: text }) => text.match(/(?<![\w-])--?\w[\w-]*/g) ?? []);
  const known = new Map(commands.map((one) => [one.command, new Set(spelled([...one.flags, ...flags]))]));
  const unknown = new Set<string>();
  for (let seed = 0; seed < 500; seed += 1) {
    for (const { args: line } of drawPlan(seed).steps.flatMap((step) => step.commands)) {
      const args = line[0] === '-C' ? line.slice(2) : line;
      const command = [args.slice(0, 2).join(' '), args[0] ?? ''].find((words) => known.has(words));
      const typed = args.flatMap((word) => /^--?[a-z][\w-]*/.exec(word)?.[0] ?? []);
      for (const flag of typed) if (!known.get(command ?? '')?.has(flag)) unknown.add(`${command ?? args} ${flag}`);
      if (!command) unknown.add(args.join(' '));
    }
  }
  expect([...unknown]).toEqual([]);
});
