import type { Argument } from '@commander-js/extra-typings';
import { storedNames } from '../../config/listing.ts';

/** Help and shell know the names of settings; what is none of them is told by the operation, with a better guess. */
export function offerNames<Command extends { registeredArguments: readonly Argument[] }>(command: Command): Command {
  command.registeredArguments[0]?.choices([...storedNames.keys()]).argParser((name) => name);
  return command;
}
