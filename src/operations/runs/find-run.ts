import { gantryCommand } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { listRuns, type Run, runPhase } from '../../contract/runs.ts';
import { NotFoundError } from '../../errors.ts';
import { count } from '../../output/format.ts';
import { findByBeginning, noneFound, readIdWord } from '../ids/index.ts';
import { type PagePosition, readPages } from '../replies/index.ts';
import { fewerRunsFix } from './run-search.ts';
import { runHasFailed, runKey, runStatus } from './run-status.ts';

type Source = Pick<Context, 'api' | 'project' | 'cwd'>;

/** Pages of the list of runs that are searched, newest first. */
const maxPages = 10;

/**
 * Returns the id of the run that a word names: an id, the beginning of one, `latest`, `latest:failed`; without a word, of
 * the latest one. A whole id is not looked up. Throws NotFoundError, UsageError.
 */
export async function resolveRun(source: Source, app: string, word: string | undefined): Promise<string> {
  const wanted = readIdWord(word);
  if ('id' in wanted) return wanted.id;
  const { run, searched } = await searchRun(source, app, word);
  if (run) return run.id;
  if (word === undefined || word === 'latest') {
    const { sampleInvocation } = await import('../../project/sample-call.ts');
    const call = await sampleInvocation(source.cwd, app);
    throw new NotFoundError(`${app} has no runs yet`, { fix: call ?? gantryCommand`invoke ${app}` });
  }
  const error = noneFound(word, { noun: 'run', app, list: gantryCommand`runs list ${app}` });
  error.facts.why = `the newest ${count(searched, 'run')} were searched`;
  throw error;
}

/** Reads pages up to the one that has it. */
async function searchRun({ api, project }: Source, app: string, word: string | undefined) {
  const wanted = readIdWord(word);
  const read = (position: PagePosition | undefined) =>
    api(listRuns, { project, app, query: { ...(position && 'token' in position && { nextToken: position.token }) } });
  const pages = readPages({ read, key: runKey, by: 'token', fix: fewerRunsFix });
  const searched: Run[] = [];
  let run: Run | undefined;
  for (let page = 0; page < maxPages; page++) {
    const next = await pages.next();
    if (next.done) break;
    searched.push(...next.value.items);
    const isLast = !next.value.page.nextToken;
    run =
      'latest' in wanted
        ? searched.find((item) => hasResult[wanted.latest](item))
        : findByBeginning(word ?? '', { noun: 'run', app, items: searched, list: gantryCommand`runs list ${app}` });
    // Ids may begin with the time, so that the next run may begin alike.
    const mayHaveTwin = 'beginning' in wanted && !isLast && run === searched.at(-1);
    if (isLast || (run && !mayHaveTwin)) break;
  }
  return { run, searched: searched.length };
}

const hasResult = {
  any: () => true,
  success: (run: Run) => runPhase(runStatus(run)) === 'succeeded',
  failed: runHasFailed,
};
