import { platformExits } from '../../../kernel/errors.ts';
import { replayCall } from '../../../local/dev/index.ts';
import { defineCommand } from '../../command.ts';
import { portFlag } from '../../flags/emulator.ts';
import { afterEvents, document } from '../../result-schema.ts';
import { appEventFields, appResponseFields, appStreamFields, printResponse } from '../../views/app-response.ts';

export default defineCommand({
  configure: (command) =>
    command
      .argument('[run]', 'run id, the first six or more characters of it, or latest', 'latest')
      .option(...portFlag)
      .option('-i, --show-headers', 'print the status and headers before the body')
      .option('--raw', 'print the bytes unchanged, even on a terminal'),
  run: async (context, run, { port, ...options }) =>
    printResponse(context, await replayCall(context, run, port), options),
  verbatim: () => true,
  view: (value) => ('data' in value ? value.data : ''),
  json: afterEvents(appEventFields, document(appResponseFields, appStreamFields)),
  effect: 'changes',
  local: true,
  exits: [...platformExits, 'app-error'],
  details: ['Headers and body stay as they were. The last 200 calls are kept, with bodies of up to 64 KiB.'],
  examples: ['dev replay', 'dev replay 20ba8ea8', 'dev replay latest --json=body'],
});
