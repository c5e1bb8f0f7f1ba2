import { gantryCommand } from '../../kernel/command-line.ts';
import { NotFoundError } from '../../kernel/errors.ts';
import { count } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import type { Run } from '../../platform/contract/runs.ts';
import { findByBeginning, noneFound, readIdWord } from '../../platform/ids.ts';
import { newestFirst, readRunList } from './list-runs.ts';
import { hasSucceeded, runHasFailed } from './run-status.ts';

type RunSource = Pick<Context, 'api' | 'project' | 'cwd' | 'platformNow'>;

/** Of the list of runs, the newest ones. */
const maxSearched = 1_000;

/**
 * Returns the id of the run that a word names: an id, the beginning of one, `latest`, `latest:failed`; without a word, of
 * the latest one. A whole id is not looked up. Throws NotFoundError, UsageError.
 */
export async function resolveRun(source: RunSource, app: string, word: string | undefined): Promise<string> {
  const wanted = readIdWord(word);
  if ('id' in wanted) return wanted.id;
  const { run, searched } = await searchRun(source, app, word);
  if (run) return run.id;
  if (word === undefined || word === 'latest') {
    const { sampleInvocation } = await import('../../app/sample-call.ts');
    const call = await sampleInvocation(source.cwd, app);
    throw new NotFoundError(`${app} has no runs yet`, { fix: call ?? gantryCommand`invoke ${app}` });
  }
  const error = noneFound(word, { noun: 'run', app, list: gantryCommand`runs list ${app}` });
  error.facts.why = `the newest ${count(searched, 'run')} were searched`;
  throw error;
}

/** Reads pages up to the one that has it. */
async function searchRun(source: RunSource, app: string, word: string | undefined) {
  const wanted = readIdWord(word);
  const find = (runs: readonly Run[]) =>
    'latest' in wanted
      ? newestFirst(runs).find(hasResult[wanted.latest])
      : findByBeginning(word ?? '', { noun: 'run', app, items: runs, list: gantryCommand`runs list ${app}` });
  const { runs } = await readRunList(source, app, {
    isEnough(_, searched) {
      const run = find(searched);
      // Ids may begin with the time, so that the next run may begin alike.
      const mayHaveTwin = 'beginning' in wanted && run === searched.at(-1);
      return (run !== undefined && !mayHaveTwin) || searched.length >= maxSearched;
    },
  });
  return { run: find(runs), searched: runs.length };
}

const hasResult = { any: () => true, succeeded: hasSucceeded, failed: runHasFailed };
