import type { Command as Commander, OptionValues } from '@commander-js/extra-typings';
import { InvalidArgumentError } from 'commander';
import type { RunFilters } from '../../calls/runs/index.ts';
import { type RunStatus, runStatuses } from '../../platform/contract/runs.ts';
import { durationFlag } from './values.ts';

interface FilterFlags {
  status?: RunStatus | undefined;
  statusCode?: number | undefined;
  minStartup?: number | undefined;
  maxStartup?: number | undefined;
  minResponse?: number | undefined;
  maxResponse?: number | undefined;
}

/** Adds the flags that filter runs (spec 4.6). */
export function runFilterFlags<Inputs extends unknown[], Options extends OptionValues>(
  command: Commander<Inputs, Options>,
) {
  return command
    .addOption(command.createOption('--status <status>', 'only show runs with this status').choices(runStatuses))
    .option('--status-code <number>', 'only show runs with this HTTP status', statusCodeFlag)
    .option('--min-startup <duration>', 'only show runs with at least this start-up time', durationFlag)
    .option('--max-startup <duration>', 'only show runs with at most this start-up time', durationFlag)
    .option('--min-response <duration>', 'only show runs with at least this response time', durationFlag)
    .option('--max-response <duration>', 'only show runs with at most this response time', durationFlag);
}

/** Converts the flags to the platform's names; times in ms. */
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

/** The platform filters by one status. 0 is a canceled run, -1 one that its caller closed. */
function statusCodeFlag(text: string): number {
  if (/^(-1|0|[1-5]\d\d)$/.test(text)) return Number(text);
  throw new InvalidArgumentError(
    /^[45](xx|\*)$/i.test(text)
      ? 'Expected one HTTP status such as 500; for all that failed: --status failure.'
      : 'Expected an HTTP status such as 500.',
  );
}
statusCodeFlag.valueKind = 'number';
