import type { Argument } from '@commander-js/extra-typings';
import { storableSettings } from '../../config/setting-list.ts';

/** Help and shell know the names of settings; what is none of them is told by the operation, with a better guess. */
export function offerNames<Command extends { registeredArguments: readonly Argument[] }>(command: Command): Command {
  command.registeredArguments[0]?.choices([...storableSettings.keys()]).argParser((name) => name);
  return command;
}
