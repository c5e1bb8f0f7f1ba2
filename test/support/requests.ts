import type { Emulator } from '../../src/emulator/index.ts';

/** Does something when the emulator is called at an endpoint for the first time, before it answers. */
export function atFirstCall({ calls }: Emulator, endpoint: string, act: () => void): void {
  const push = calls.push.bind(calls);
  calls.push = (...added) => {
    if (added.some((call) => call.endpoint === endpoint)) {
      calls.push = push;
      act();
    }
    return push(...added);
  };
}
