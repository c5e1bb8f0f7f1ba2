import { defineCommand } from '../../command.ts';
import { readRunLog } from '../../operations/run/log.ts';
import { localTime } from '../../output/words.ts';

export default defineCommand({
  configure: (command) =>
    command
      .argument('<app>', 'app name or id')
      .argument('<run>', 'run id')
      .option('--timestamps', 'put the time before each line'),
  run: (context, app, run) => readRunLog(context, app, run),
  view:
    (lines, { timestamps }) =>
    ({ style }) =>
      lines.map(({ line, time }) => (timestamps && time ? `${style.dim(localTime(time))} ${line}` : line)).join('\n'),
  empty: 'the run has printed nothing',
  json: {
    line: 'the line as it came',
    stream: 'stdout or stderr',
    time: 'RFC 3339, UTC; as finely as the platform tells it',
  },
  examples: ['runs logs web 3f2a91c0-…', 'runs logs web 3f2a91c0-… --timestamps'],
});
