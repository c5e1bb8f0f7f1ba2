import type { Command as Commander, OptionValues } from '@commander-js/extra-typings';
import { repeatableFlag } from './values.ts';

export function callFlags<Inputs extends unknown[], Flags extends OptionValues>(command: Commander<Inputs, Flags>) {
  const input = command.createOption('--input <file>', 'request body: any bytes from a file, or - for stdin');
  return command
    .option('--data <json>', 'request body: JSON, @file with JSON, or - for stdin')
    .addOption(input.conflicts('data'))
    .option('--method <method>', 'HTTP method, for apps with their own server (default: POST)', (text) =>
      text.toUpperCase(),
    )
    .option('--path <path>', 'path below the app or the function')
    .option('--header <name: value>', 'send a header (repeatable)', repeatableFlag)
    .option('--no-auth', 'send no token, for apps with disable_auth');
}
