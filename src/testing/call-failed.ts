/** A call has another status than 2xx. The message has the response and the log of the run. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';

  constructor(
    what: string,
    readonly status: number,
    readonly body: string,
    log: readonly string[],
  ) {
    const printed = log.length > 0 ? `\n\nlog of the run:\n${log.map((line) => `  ${line}`).join('\n')}` : '';
    super(`${what} was answered with ${status}: ${body.trim().slice(0, 2_000)}${printed}`);
  }
}
