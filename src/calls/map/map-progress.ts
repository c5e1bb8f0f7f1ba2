import { count, cutText, dollars, duration, groupDigits } from '../../kernel/output/format.ts';
import { arrayOf, integer, type ObjectOf, text } from '../../kernel/shape.ts';
import type { Context } from '../../platform/context.ts';
import type { MapCost } from './map-spending.ts';
import type { MapError, ResultsFile } from './results-file.ts';

interface MapState extends Record<'inputs' | 'done' | 'failed' | 'refused', number> {
  groups: () => readonly FailureGroup[];
  cost: MapCost | undefined;
}

export type MapProgress = ReturnType<typeof showProgress>;

const updateMs = 100;

/** A step that shows how far a map is: `Calling web/run: 41,207 of 100,000, 312/min, 3 failed, $4.20, 3h 8m and $6.10 left`. */
export function showProgress(
  { progress, elapsed }: Pick<Context, 'progress' | 'elapsed'>,
  title: string,
  before: number,
) {
  const step = progress.step(title);
  const startedAt = elapsed();
  let shownAt = Number.NEGATIVE_INFINITY;
  return {
    update(state: MapState) {
      const now = elapsed();
      if (now - shownAt < updateMs) return;
      shownAt = now;
      step.update({ text: progressText(state, state.done - before, now - startedAt) });
    },
    end: () => step.clear(),
  };
}

function progressText({ inputs, done, failed, refused, groups, cost }: MapState, calls: number, tookMs: number) {
  const perMs = tookMs > 0 ? calls / tookMs : 0;
  const parts = [`${groupDigits(done)} of ${groupDigits(inputs)}`];
  if (perMs > 0) parts.push(rateText(perMs));
  if (failed > 0) parts.push(failedText(failed, groups()));
  if (refused > 0) parts.push(`${groupDigits(refused)} refused and repeated`);
  if (cost) parts.push(dollars(cost.soFar));
  if (perMs > 0 && done < inputs) {
    const price = cost?.left === undefined ? '' : ` and ${dollars(cost.left)}`;
    parts.push(`${duration((inputs - done) / perMs)}${price} left`);
  }
  return parts.join(', ');
}

function rateText(perMs: number): string {
  const perSecond = perMs * 1_000;
  return perSecond >= 10 ? `${groupDigits(Math.round(perSecond))}/s` : `${groupDigits(Math.round(perSecond * 60))}/min`;
}

function failedText(failed: number, groups: readonly FailureGroup[]): string {
  const [first] = groups;
  if (!first) return `${groupDigits(failed)} failed`;
  const share = first.inputs === failed ? '' : `${groupDigits(first.inputs)}: `;
  return `${groupDigits(failed)} failed (${share}${first.title})`;
}

export const failureGroupFields = {
  cause: text('cause as in gantry explain, or name of an exit code'),
  title: text('what happened'),
  inputs: integer('number of inputs'),
  index: integer('the first of them, from 0'),
  indexes: arrayOf(integer('of one input, from 0'), 'the first 20 that were found'),
};
type FailureGroup = ObjectOf<typeof failureGroupFields>;

const maxIndexes = 20;

/** More messages than this are counted as one group, so that a million different ones need no memory. */
const maxMessages = 1_000;
const shownCharacters = 160;

/** Groups failures by their cause, as `gantry explain` finds it, or else by their message without its numbers. */
export class FailureGroups {
  readonly #groups = new Map<string, FailureGroup>();
  /** Groups of messages that were seen: rules are slow. */
  readonly #groupOf = new Map<string, FailureGroup>();

  private constructor(private readonly explain: typeof import('../../causes/index.ts').explainLog) {}

  static async create(): Promise<FailureGroups> {
    return new FailureGroups((await import('../../causes/index.ts')).explainLog);
  }

  add(index: number, error: MapError): void {
    const key = `${error.code} ${error.statusCode ?? ''} ${withoutNumbers(error.message)}`;
    const group = this.#groupOf.get(key) ?? this.#newGroup(key, index, error);
    group.inputs++;
    // A later input may have ended before.
    group.index = Math.min(group.index, index);
    if (group.indexes.length < maxIndexes) group.indexes.push(index);
  }

  get all(): FailureGroup[] {
    return [...this.#groups.values()].sort((a, b) => b.inputs - a.inputs);
  }

  #newGroup(key: string, index: number, { code, message, statusCode }: MapError): FailureGroup {
    // The status that an app chose says nothing about its replica.
    const status = code === 'app-error' ? undefined : statusCode;
    const explained = this.explain('', { source: 'run', reason: message, statusCode: status });
    const isOther = !explained && this.#groupOf.size >= maxMessages;
    const cause = explained?.cause ?? code;
    const title = isOther ? 'other messages' : (explained?.title ?? shorten(message));
    const name = explained || isOther ? `${cause} ${title}` : key;
    const group = this.#groups.get(name) ?? { cause, title, inputs: 0, index, indexes: [] };
    this.#groups.set(name, group);
    if (this.#groupOf.size < 2 * maxMessages) this.#groupOf.set(key, group);
    return group;
  }
}

/** `index 17 is out of bounds` and `index 18 is out of bounds` are one message; so are those with different ids. */
function withoutNumbers(message: string): string {
  return message.replace(/\b[\da-f]{8}-[\da-f-]{27}\b|\d+/gi, '0').slice(0, 400);
}

function shorten(message: string): string {
  return cutText(message.trim().split('\n', 1)[0] ?? '', shownCharacters);
}

const is = (items: number) => (items === 1 ? 'is' : 'are');
const was = (items: number) => (items === 1 ? 'was' : 'were');

interface ResultsState {
  /** The results file, as the user named it. */
  name: string;
  inputs: number;
  results: Pick<ResultsFile, 'done' | 'size' | 'left' | 'wasCut'>;
  /** Calls that may have been made without a result; before the first one, with the runs. */
  lost: number;
  running: number;
}

/** What is said of the results that are there already, before the first call. */
export function startNotes({ name, inputs, results, lost, running }: ResultsState): string[] {
  const { done, size, left, wasCut } = results;
  const again = Math.min(lost, inputs - done) - running;
  const retried = left > 0 ? `; ${count(left, 'failure')} of them ${is(left)} called again` : '';
  const notes: [boolean, string][] = [
    [wasCut, `the last line of ${name} was not complete and was removed`],
    [size > 0, `${groupDigits(size)} of ${count(inputs, 'input')} have a result in ${name}${retried}`],
    [running > 0, `${count(running, 'run')} of an earlier command ${is(running)} asked for`],
    [
      again > 0,
      `at most ${count(again, 'call')} of these ${was(again)} made without a result in ${name}, and ${is(again)} made again`,
    ],
  ];
  return notes.filter(([isSo]) => isSo).map(([, text]) => text);
}

/** What is said when a map ends before its last input: how far it came, and what the same command does. */
export function restNote({ name, inputs, results, lost, running }: ResultsState, cost: MapCost | undefined): string {
  const { size, left } = results;
  const again = lost > 0 ? `; ${count(lost, 'call')} without a result will be made again` : '';
  const retried = left > 0 ? `; ${count(left, 'failure')} of them ${was(left)} not called again` : '';
  const goOn =
    running > 0 ? `; ${count(running, 'run')} that ${was(running)} started may go on and will be asked for` : '';
  return `${groupDigits(size)} of ${count(inputs, 'input')} have a result in ${name}${retried}${again}${goOn}${costText(cost)}; the same command continues`;
}

function costText(cost: MapCost | undefined): string {
  if (!cost) return '';
  const { soFar, left } = cost;
  return `; ${dollars(soFar)} so far${left === undefined ? '' : `, about ${dollars(left)} left`}`;
}
