import { expect, test } from 'vitest';
import type { Answer } from '../support/app-platform/types.ts';
import { deployed, staged } from './stage.ts';

type Answering = (run: string) => Answer;
const json = (value: unknown, more: Answer = {}): Answer => ({ json: value, ...more });
const events = (text: string): Answer => ({ text, headers: { 'content-type': 'text/event-stream' } });
const returned = (result: unknown, more?: Answer): Answering => {
  return (run) => json({ run_id: run, run_time_ms: 41.5, result }, more);
};
const custom =
  '[cerebrium.runtime.custom]\nentrypoint = ["python", "main.py"]\nport = 8000\nhealthcheck_endpoint = ""\n';
const notJson = /is healthy is not known: run: a function answers with JSON/;
const missing = /does not have the expected text/;

test.each<[answers: string, answer: Answering, smoke: string, code: number, says?: RegExp | undefined, more?: string]>([
  ['its result', returned({ sum: 4 }), 'run={"a":2}:4', 0],
  ['a text', returned('Hello, Ada'), 'run:Hello, Ada', 0],
  ['nothing', returned(null), 'run', 0],
  ['JSON, as a terminal shows it', returned({ job: 'none', on: [1, 2] }), 'run:{"job": "none", "on": [ 1, 2 ] }', 0],
  ['another result', returned(5), 'run={"a":2}:own', 12, missing],
  ['a result without what only the platform wrote: the time', returned(5), 'run:41.5', 12, missing],
  ['a result without what only the platform wrote: a key', returned(5), 'run:result', 12, missing],
  ['events', () => events('data: Hello\n\n'), 'run:Hello', 0],
  ['events without the text', () => events('data: Hello\n\n'), 'run:data', 12, missing],
  ['only an error', () => events('event: error\ndata: {"error":"x"}\n\n'), 'run', 8, /all of its events are errors/],
  ['no event', () => events(': ping\n\n'), 'run', 8, /it sent no event/],
  ['an acknowledgement', (run) => json({ run_id: run }, { status: 202 }), 'run', 8, /only accepted \(202\)/],
  ['only the id of a run', (run) => json({ run_id: run }), 'run', 8, /no result of a run/],
  ['a message of somebody', () => json({ message: 'app is not ready' }), 'run', 8, /no result of a run/],
  ['a web page', () => ({ text: '<html></html>', headers: { 'content-type': 'text/html' } }), 'run', 8, notJson],
  ['nothing at all', () => ({ text: '' }), 'run', 8, notJson],
  ['204', () => ({ text: '', status: 204 }), 'run', 8, notJson],
  ['a server of its own', () => json({ message: 'Hello' }), 'run:message', 0, undefined, custom],
  [
    'no page, of a path that lacks its slash',
    () => json({ detail: 'Not Found' }, { status: 404 }),
    'health:ok',
    8,
    /404.*, to POST \/health; --smoke \/health gets it/,
    custom,
  ],
])('a call that is answered with %s', async (_, answer, smoke, code, says = /answered \(/, more = '') => {
  const { stage, machine } = await staged({ more });
  stage.platform.callAnswer = answer;
  expect(await machine.run(['deploy', '--smoke', smoke])).toExit(code, says);
});

test.each([150, 2_000, 20_000])(
  'the record of a call may be %i ms late: the app is called once',
  async (runsLateMs) => {
    const { stage, machine } = await deployed({}, { runsLateMs });
    await machine.write({ version: 2 });
    // Those of the build before are still listed as running for a while.
    stage.alter((each) => [{ ...each, isTerminating: false }]);
    expect(await machine.run('deploy --smoke run')).toExit(0, 'answered (');
    expect(stage.platform.world.calls).toHaveLength(1);
  },
);
