import type { Command as Commander, OptionValues } from '@commander-js/extra-typings';
import { InvalidArgumentError } from 'commander';
import type { RunFilters } from '../../calls/runs/index.ts';
import { type RunStatus, runStatuses } from '../../platform/contract/runs.ts';
import { durationFlag } from './values.ts';

/** In ms. */
interface Span {
  min?: number;
  max?: number;
}

interface FilterFlags {
  status?: RunStatus | undefined;
  statusCode?: number | undefined;
  startup?: Span | undefined;
  response?: Span | undefined;
}

/** Adds the flags that filter runs (spec 4.6). */
export function runFilterFlags<Inputs extends unknown[], Options extends OptionValues>(
  command: Commander<Inputs, Options>,
) {
  return command
    .addOption(command.createOption('--status <status>', 'only show runs with this status').choices(runStatuses))
    .option('--status-code <number>', 'only show runs with this HTTP status', statusCodeFlag)
    .option('--startup <range>', 'only show runs that started in 2s.. or ..500ms', spanFlag)
    .option('--response <range>', 'only show runs that responded in 2s.. or 100ms..500ms', spanFlag);
}

/** Converts the flags to the platform's names; times in ms. */
export function runFilters(flags: FilterFlags): RunFilters {
  return {
    status: flags.status,
    statusCode: flags.statusCode,
    minStartupTime: flags.startup?.min,
    maxStartupTime: flags.startup?.max,
    minResponseTime: flags.response?.min,
    maxResponseTime: flags.response?.max,
  };
}

/** `2s..`, `..500ms`, `100ms..2s`. */
function spanFlag(text: string): Span {
  const [, from, to] = /^(.*?)\.\.(.*)$/.exec(text) ?? [];
  if (!from && !to) throw new InvalidArgumentError('Expected a range such as 2s.. or ..500ms.');
  return { ...(from && { min: durationFlag(from) }), ...(to && { max: durationFlag(to) }) };
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
