import { boolean, choice, integer, list, nullable, number, object, optional, stream, text } from '../result-schema.ts';

const app = text('app name');
const at = text('when, RFC 3339, UTC');
const changed = list(text('path'), 'changed files; empty if a reload was asked for');
const run = text('run id');

/** What `gantry dev --json` prints, one object per line. */
export const devEvents = stream(
  {
    type: choice(['ready'], 'the app can be called; printed again if it gets another name'),
    app,
    endpoint: text('URL of the app'),
    page: text('address of its pages for a browser; empty if it has only functions'),
    curl: text('a command that calls the app; empty if main.py has no function'),
    dashboard: text('URL of the page of the app; keep it secret'),
    url: text('URL of the emulator'),
    project: text('project of the emulator'),
    token: text('token of the emulator; not valid anywhere else'),
    approveUrl: text('URL that lets a browser approve logins; keep it secret'),
    calls: text('URL of the page of the last calls; keep it secret'),
    build: text('build id'),
    debugPort: optional(integer('port where an editor can attach')),
  },
  {
    type: choice(['reload'], 'a new version is running'),
    app,
    at,
    build: text('build id'),
    changed,
    durationMs: integer('from the save to the end of the build'),
  },
  {
    type: choice(['problem'], 'the app was not reloaded; one line per problem'),
    app,
    at,
    changed,
    severity: choice(['error', 'warning'], 'a warning alone stops nothing'),
    message: text('what is wrong'),
    why: optional(text('the reason')),
    fix: optional(text('what to do about it')),
    location: optional(
      object({
        file: text('path'),
        line: integer('line, from 1'),
        column: integer('column, from 1'),
        length: integer('length of the range'),
        text: text('the whole line'),
      }),
    ),
    servingSince: nullable(text('when the version that is still running was deployed')),
  },
  {
    type: choice(['request'], 'a call of the app has ended'),
    app,
    at,
    method: text('HTTP method'),
    path: text('path below the app, with the query'),
    statusCode: nullable(integer('HTTP status; null if the caller disconnected before the response')),
    durationMs: number('until the last byte of the response'),
    kind: choice(
      ['call', 'accepted', 'ended', 'websocket'],
      'an asynchronous call is accepted, and its run has ended later',
    ),
    isComplete: boolean('whether the whole response was sent, or the WebSocket was closed'),
    runStatusCode: optional(
      integer(
        'status of the run if its response or WebSocket broke off, 0 if it was canceled; absent if the caller disconnected',
      ),
    ),
    run: optional(run),
  },
  {
    type: choice(['log'], 'a line that the app printed'),
    app,
    at,
    stream: choice(['stdout', 'stderr'], 'where to'),
    line: text('the line'),
    run: optional(run),
  },
);
