import { defineCommand } from '../command.ts';
import { gantryCommand } from '../command-line.ts';
import { platformExits } from '../errors.ts';
import { durationFlag } from '../flags/values.ts';
import { chooseRegion } from '../operations/deploy/index.ts';
import {
  followProgram,
  readArguments,
  readProgram,
  type StartedProgram,
  startProgram,
} from '../operations/run/index.ts';
import { RawOutput } from '../output/raw-output.ts';
import { document, text } from '../result-schema.ts';
import { runFields, runOutput } from '../views/run-output.ts';

export default defineCommand({
  configure: (command) =>
    command
      .usage('<file[::function]> [name=value...]')
      .argument('<file[::function]>', 'Python file in this folder, and the function to call')
      .argument('[name=value...]', 'arguments: name=text, or name:=json')
      .option('--data <json>', 'arguments as JSON, @file with JSON, or - for stdin')
      .option('--config-file <file>', 'config file; its folder is sent', 'cerebrium.toml')
      .option('--name <name>', 'override the app name of the config file')
      .option('--detach', 'print the run id and return; the run continues')
      .option('--timeout <duration>', 'stop waiting after this long (default: 1h)', durationFlag)
      .option('--events', 'print progress as JSON lines'),
  run: async (context, target, pairs, options): Promise<ReturnType<typeof runOutput> | StartedProgram> => {
    const { data, configFile, name, timeout: timeoutMs = 3_600_000 } = options;
    const args = await readArguments(context, { data, pairs });
    const program = await readProgram(context, { target, configFile, name, hasArguments: args !== '{}' });
    const region = chooseRegion(context.settings.region, program.project.hardware.region);
    const detach = options.detach === true;
    const started = await startProgram(context, program, { data: args, region, timeoutMs, detach });
    if (!detach) return runOutput(context, followProgram(context, started, timeoutMs), options);
    return started;
  },
  verbatim: () => true,
  view: (value) => () => (value instanceof RawOutput ? '' : value.run),
  json: document(runFields, { app: text('app name'), run: text('run id') }),
  next: (value) =>
    value instanceof RawOutput
      ? []
      : [{ line: gantryCommand`runs follow ${value.app} ${value.run}`, when: 'the run continues; to follow it' }],
  effect: 'changes',
  exits: [...platformExits, 'pending', 'project', 'build-failed', 'app-error'],
  examples: [
    'run job.py',
    'run job.py::train -- epochs:=3 name=first',
    'run job.py::train --data \'{"epochs": 3}\' --region us-east-1',
    'run job.py --data @arguments.json --json=status,seconds',
    'run job.py::train --detach',
  ],
});
