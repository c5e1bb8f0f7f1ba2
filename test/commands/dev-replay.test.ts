import { describe, expect, test } from 'vitest';
import { python } from '../emulator/support/running.ts';
import { smallApp } from '../support/app.ts';
import { developing, type Session } from '../support/developing.ts';
import { gantry } from '../support/gantry.ts';

const main = `calls = 0
def run(name="you", size=0):
    global calls
    calls += 1
    return {"hello": name, "calls": calls, "rest": "x" * size}
def refuse(code=422):
    return {"status_code": code, "message": "no"}
`;
const app = { ...smallApp(), 'main.py': main };

/** The run of a call that was made. */
async function called(session: Session, body: object, below = 'run'): Promise<string> {
  const response = await session.call(body, below);
  await response.arrayBuffer();
  return response.headers.get('x-request-id') ?? '';
}

describe.skipIf(!python)('gantry dev replay (needs python3)', () => {
  test('sends a call again, and prints the response as invoke does', async () => {
    await developing(app, [], async (session) => {
      const { env } = session;
      const run = await called(session, { name: 'Ada' });
      await called(session, { name: 'Bob' });
      const replay = (...words: string[]) => gantry(['dev', 'replay', ...words], { env });
      const again = await replay(run.slice(0, 8));
      expect(again.stderr).toContain(`sending run ${run} again: POST web/run\n`);
      expect(JSON.parse(again.stdout)).toMatchObject({ result: { hello: 'Ada', calls: 3 } });
      expect(again.stderr).toMatch(/200 OK in .*, run (?!undefined)/);
      const { json } = await replay('--json=body');
      expect(json()).toMatchObject({ body: { result: { hello: 'Ada', calls: 4 } } });
      const headed = await replay(run, '-i');
      expect(headed.stdout).toMatch(/^HTTP 200 OK\n[\s\S]*"calls":\s*5/);
    });
  });

  test('says why a call cannot be sent again, and how the app refused it', async () => {
    await developing(app, [], async (session) => {
      const { env, until } = session;
      await until(/(web) is ready/);
      const replay = (...words: string[]) => gantry(['dev', 'replay', ...words], { env });
      const none = await replay();
      expect([none.code, none.stderr]).toEqual([6, expect.stringContaining('call latest not found')]);
      const long = await called(session, { name: 'x'.repeat(70_000) });
      const cut = await replay(long);
      expect([cut.code, cut.stderr]).toEqual([7, expect.stringContaining('Only the first 65536 of the 70')]);
      await called(session, {}, 'refuse');
      const refused = await replay();
      expect(refused.code).toBe(13);
      expect(refused.stderr).toContain('422');
      for (const [statusCode, exitCode] of [
        [401, 4],
        [403, 5],
      ] as const) {
        await called(session, { code: statusCode }, 'refuse');
        const denied = await replay();
        expect([denied.code, denied.stderr]).toEqual([
          exitCode,
          expect.stringContaining(`the app refused the headers of the call (HTTP ${statusCode})\n  why no\n`),
        ]);
        // Nothing of this command would mend it.
        expect(denied.stderr).not.toContain('fix');
      }
    });
  });

  test('needs a running emulator', async () => {
    const { code, stderr } = await gantry(['dev', 'replay']);
    expect([code, stderr]).toEqual([6, expect.stringMatching(/no emulator is running\n {2}fix gantry dev\n/)]);
  });
});
