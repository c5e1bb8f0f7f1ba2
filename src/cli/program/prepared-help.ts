import { attempt } from '../../kernel/errors.ts';
import { readOwnFile } from '../../own-files.ts';
import type { HelpSource } from './help.ts';

/** What a help is made from (build/texts.js). Undefined for an unknown command, and without a build. */
export function preparedHelp<Source extends HelpSource>(command: string): Source | undefined {
  const lines = attempt(() => readOwnFile('help.txt')) ?? '';
  const start = `\n${command}\t`;
  const at = lines.indexOf(start);
  return at < 0 ? undefined : JSON.parse(lines.slice(at + start.length, lines.indexOf('\n', at + 1)));
}
