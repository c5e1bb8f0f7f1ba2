import { count, dollars, groupDigits } from '../../kernel/output/format.ts';
import type { MapCost } from './map-spending.ts';
import type { ResultsFile } from './results-file.ts';

interface MapState {
  /** The results file, as the user named it. */
  name: string;
  /** The number of inputs. */
  inputs: number;
  results: ResultsFile;
}

interface Calls {
  /** Calls that may have been made without a result; before the first one, with the runs. */
  lost: number;
  /** Runs that were started and have no result. */
  running: number;
}

/** What is said before the first call. */
export function startNotes({ name, inputs, results }: MapState, { lost, running }: Calls): string[] {
  const { done, size, left, wasCut } = results;
  const notes: string[] = [];
  if (wasCut) notes.push(`the last line of ${name} was not complete and was removed`);
  const retried = left > 0 ? `; ${count(left, 'failure')} of them ${left === 1 ? 'is' : 'are'} called again` : '';
  if (size > 0) notes.push(`${groupDigits(size)} of ${count(inputs, 'input')} have a result in ${name}${retried}`);
  if (running > 0)
    notes.push(`${count(running, 'run')} of an earlier command ${running === 1 ? 'is' : 'are'} asked for`);
  const again = Math.min(lost, inputs - done.size) - running;
  if (again > 0) {
    notes.push(
      `at most ${count(again, 'call')} of these ${again === 1 ? 'was' : 'were'} made without a result in ${name}, and ${again === 1 ? 'is' : 'are'} made again`,
    );
  }
  return notes;
}

/** What is said when inputs are left. */
export function restNote(
  { name, inputs, results }: MapState,
  { lost, running }: Calls,
  cost: MapCost | undefined,
): string {
  const { size, left } = results;
  const again = lost > 0 ? `; ${count(lost, 'call')} without a result will be made again` : '';
  const retried = left > 0 ? `; ${count(left, 'failure')} of them ${left === 1 ? 'was' : 'were'} not called again` : '';
  const goOn =
    running > 0
      ? `; ${count(running, 'run')} that ${running === 1 ? 'was' : 'were'} started may go on and will be asked for`
      : '';
  return `${groupDigits(size)} of ${count(inputs, 'input')} have a result in ${name}${retried}${again}${goOn}${costText(cost)}; the same command continues`;
}

function costText(cost: MapCost | undefined): string {
  if (!cost) return '';
  const { soFar, left } = cost;
  return `; ${dollars(soFar)} so far${left === undefined ? '' : `, about ${dollars(left)} left`}`;
}
