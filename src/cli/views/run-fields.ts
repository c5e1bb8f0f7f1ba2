import { Run } from '../../platform/contract/runs.ts';
import { sentFields, text } from '../result-schema.ts';

/** What the platform sends of a run, in a list and alone. */
export const runFields = {
  ...sentFields(Run),
  outcome: text('succeeded, failed, canceled or closed; before that, in progress or what it waits for'),
  kind: text('call of the app, or job: a file that gantry run has run'),
};
