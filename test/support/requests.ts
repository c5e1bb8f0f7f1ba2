import type { Emulator } from '../../src/emulator/index.ts';

/** Does something when the emulator is called at an endpoint, with this query, for the first time, before it answers. */
export function atFirstCall(
  { calls }: Emulator,
  endpoint: string,
  act: () => void,
  query: Record<string, string> = {},
): void {
  const asked = Object.entries(query);
  const push = calls.push.bind(calls);
  calls.push = (...added) => {
    if (
      added.some((call) => call.endpoint === endpoint && asked.every(([name, value]) => call.query[name] === value))
    ) {
      calls.push = push;
      act();
    }
    return push(...added);
  };
}
