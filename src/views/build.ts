import { anything, nullable, optional, passThrough, text } from '../result-schema.ts';

const fields = {
  id: text('build id'),
  status: text('build status; platform value, passed through'),
  createdAt: text('RFC 3339, UTC'),
  updatedAt: text('RFC 3339, UTC'),
  initError: text('why the app did not start'),
  notStarted: optional(anything('only from the emulator: reason and calls of an app that it cannot run')),
  differences: optional(anything('only from the emulator: what it does not do as the platform does')),
  found: nullable(
    text(
      'healthy, sick, unknown, superseded, failed or rolled back, by the history of this machine; null if it has nothing',
    ),
  ),
};

/** Descriptions of the JSON fields of a build. */
export const buildFields = passThrough(fields);

/** In a list, which has no room for the whole error. */
export const listedBuildFields = passThrough({
  ...fields,
  reason: nullable(text('why it failed, in a line; null if it did not, or if that is not known')),
});
