import { serving } from './listening.ts';

/**
 * A platform that has this one answer, for what the emulator never says, or one that is made when it is asked, and
 * sent once `done` is called. Gives its address.
 */
export function answering(answer: object | ((done: () => void) => object)): Promise<string> {
  return serving((_, response) => {
    response.setHeader('content-type', 'application/json');
    const send = (body: object) => response.end(JSON.stringify(body));
    if (typeof answer !== 'function') return send(answer);
    const body: object = answer(() => setImmediate(() => send(body)));
  });
}
