import { nullable, passThrough, text } from '../result-schema.ts';

/** Descriptions of the JSON fields of a build. */
export const buildFields = passThrough({
  id: text('build id'),
  status: text('build status; platform value, passed through'),
  createdAt: text('RFC 3339, UTC'),
  updatedAt: text('RFC 3339, UTC'),
  initError: text('why the app did not start'),
  found: nullable(
    text(
      'healthy, sick, unknown, superseded, failed or rolled back, by the history of this machine; null if it has nothing',
    ),
  ),
});
