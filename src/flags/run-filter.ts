import type { Command as Commander, OptionValues } from '@commander-js/extra-typings';
import { type RunStatus, runStatuses } from '../contract/runs.ts';
import type { RunFilters } from '../operations/runs/index.ts';
import { durationFlag, wholeNumberFlag } from './values.ts';

interface FilterFlags {
  status?: RunStatus | undefined;
  statusCode?: number | undefined;
  minStartup?: number | undefined;
  maxStartup?: number | undefined;
  minResponse?: number | undefined;
  maxResponse?: number | undefined;
}

/** The flags that pick some of an app's runs (spec 4.6). */
export function runFilterFlags<Inputs extends unknown[], Options extends OptionValues>(
  command: Commander<Inputs, Options>,
) {
  return command
    .addOption(command.createOption('--status <status>', 'only those in this state').choices(runStatuses))
    .option('--status-code <number>', 'only those with this HTTP status', wholeNumberFlag(-1))
    .option('--min-startup <duration>', 'only those whose start-up took this long or longer', durationFlag)
    .option('--max-startup <duration>', 'only those whose start-up took no longer', durationFlag)
    .option('--min-response <duration>', 'only those answered after this long or longer', durationFlag)
    .option('--max-response <duration>', 'only those answered no later', durationFlag);
}

/** The same in the platform's names; times in milliseconds. */
export function runFilters(flags: FilterFlags): RunFilters {
  return {
    status: flags.status,
    statusCode: flags.statusCode,
    minStartupTime: flags.minStartup,
    maxStartupTime: flags.maxStartup,
    minResponseTime: flags.minResponse,
    maxResponseTime: flags.maxResponse,
  };
}
