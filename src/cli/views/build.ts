import { commitShape, type WithCommit } from '../../deploys/history/index.ts';
import { Build } from '../../platform/contract/builds.ts';
import { anything, nullable, optional, passThrough, sentFields, text } from '../result-schema.ts';

/** `1a2b3c4d dirty`, `1a2b3c4d by its files`; undefined if it is not known. */
export function commitText({ commit, dirty, evidence }: WithCommit): string | undefined {
  const by = evidence && evidence !== 'record' ? ' by its files' : '';
  return commit ? `${commit.slice(0, 8)}${dirty ? ' dirty' : ''}${by}` : undefined;
}

const fields = {
  ...sentFields(Build),
  notStarted: optional(anything('only from the emulator: reason and calls of an app that it cannot run')),
  differences: optional(anything('only from the emulator: what it does not do as the platform does')),
  ...commitShape,
  found: nullable(
    text(
      'healthy, sick, unknown, superseded, failed, rolled back, or same files as BUILD, found sick; by the history of this machine, null if it has nothing',
    ),
  ),
};

export const buildFields = passThrough(fields);

/** In a list, which has no room for the whole error. */
export const listedBuildFields = passThrough({
  ...fields,
  reason: nullable(text('why it failed, in a line'), 'it did not, or if that is not known'),
});
