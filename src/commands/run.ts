import { defineCommand } from '../command.ts';
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
import { runFields, runOutput } from '../views/run-output.ts';

export default defineCommand({
  configure: (command) =>
    command
      .usage('[flags] <file[::function]> [-- name=value...]')
      .argument('<file[::function]>', 'a Python file of this folder, and the function of it to call')
      .argument('[name=value...]', 'arguments: name=text, or name:=json')
      .option('--data <json>', 'arguments as JSON, @file with JSON, or - for stdin')
      .option('--config-file <file>', 'the config file; its folder is sent', 'cerebrium.toml')
      .option('--name <name>', 'app name, instead of the one in the file')
      .option('--detach', 'print the run id and return; the run goes on')
      .option('--timeout <duration>', 'stop waiting after this long (1h if left out)', durationFlag)
      .option('--events', 'print one JSON object per line as things happen'),
  run: async (context, target, pairs, options): Promise<RawOutput | StartedProgram> => {
    const { data, configFile, name, timeout: timeoutMs = 3_600_000 } = options;
    const given = await readArguments(context, { data, pairs });
    const program = await readProgram(context, { target, configFile, name, hasArguments: given !== '{}' });
    const region = chooseRegion(context.settings.region, program.project.hardware.region);
    const detach = options.detach === true;
    const started = await startProgram(context, program, { data: given, region, timeoutMs, detach });
    if (!detach) return runOutput(context, followProgram(context, started, timeoutMs), options);
    const { app, runId } = started;
    context.progress.note(
      `it goes on without us; gantry runs follow ${app} ${runId}, or gantry runs logs ${app} ${runId}`,
    );
    return started;
  },
  verbatim: () => true,
  view: (value) => () => (value instanceof RawOutput ? '' : value.runId),
  json: runFields,
  examples: [
    'run job.py',
    'run job.py::train -- epochs:=3 name=first',
    'run job.py::train --data \'{"epochs": 3}\' --region us-east-1',
    'run job.py --data @arguments.json --json=status,seconds',
    'run job.py::train --detach',
  ],
});
