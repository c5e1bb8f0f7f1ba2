import type { Emulator } from '../../src/emulator/index.ts';
import { inFrontOf } from './in-front-of.ts';

interface Altered {
  status?: number;
  /** JSON, or text as it is. */
  body: unknown;
  type?: string;
}

/** What a reply becomes; undefined leaves it as it is. */
type Alter = (method: string, path: string, json: unknown) => Altered | undefined | Promise<Altered | undefined>;

/**
 * A server in front of the emulator that changes its replies. What `intercept` answers never reaches the emulator. Gives
 * the environment to reach it.
 */
export function altering(
  emulator: Emulator,
  alter: Alter,
  intercept: (...call: [method: string, path: string]) => ReturnType<Alter> = () => undefined,
): Promise<Record<string, string>> {
  return inFrontOf(emulator, async ({ route }, pass) => {
    const [method = '', path = ''] = route.split(' ');
    const instead = await intercept(method, path);
    const reply = instead ? { type: '', body: '' } : await pass();
    // What a late emulator does not know yet has no reply to change.
    const isLate = / is not known"/.test(reply.body);
    const altered = instead ?? (isLate ? undefined : await alter(method, path, parsed(reply.body)));
    const { body = reply.body } = altered ?? {};
    return { ...reply, ...altered, hasDate: true, body: typeof body === 'string' ? body : JSON.stringify(body) };
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
