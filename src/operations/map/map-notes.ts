import { count, dollars, groupDigits } from '../../output/format.ts';
import type { MapCost } from './map-spending.ts';
import type { ResultsFile } from './results-file.ts';

interface MapState {
  /** The results file, as the user named it. */
  name: string;
  /** The number of inputs. */
  inputs: number;
  results: ResultsFile;
}

/** What is said before the first call. */
export function startNotes({ name, inputs, results }: MapState, lostBefore: number): string[] {
  const { done, size, left, wasCut } = results;
  const notes: string[] = [];
  if (wasCut) notes.push(`the last line of ${name} was not complete and was removed`);
  const retried = left > 0 ? `; ${count(left, 'failure')} of them ${left === 1 ? 'is' : 'are'} called again` : '';
  if (size > 0) notes.push(`${groupDigits(size)} of ${count(inputs, 'input')} have a result in ${name}${retried}`);
  const again = Math.min(lostBefore, inputs - done.size);
  if (again > 0) {
    notes.push(
      `at most ${count(again, 'call')} of these ${again === 1 ? 'was' : 'were'} made without a result in ${name}, and ${again === 1 ? 'is' : 'are'} made again`,
    );
  }
  return notes;
}

/** What is said when inputs are left. */
export function restNote({ name, inputs, results }: MapState, lost: number, cost: MapCost | undefined): string {
  const { size, left } = results;
  const again = lost > 0 ? `; ${count(lost, 'call')} without a result will be made again` : '';
  const retried = left > 0 ? `; ${count(left, 'failure')} of them ${left === 1 ? 'was' : 'were'} not called again` : '';
  return `${groupDigits(size)} of ${count(inputs, 'input')} have a result in ${name}${retried}${again}${costText(cost)}; the same command continues`;
}

function costText(cost: MapCost | undefined): string {
  if (!cost) return '';
  const { soFar, left } = cost;
  return `; ${dollars(soFar)} so far${left === undefined ? '' : `, about ${dollars(left)} left`}`;
}
