import type { DebugMessage } from './debug-messages.ts';

/** What an editor has told the debugger, so that the debugger of the next version can be told the same. */
export class EditorSession {
  #initialize: DebugMessage | undefined;
  #attach: DebugMessage | undefined;
  #configurationDone: DebugMessage | undefined;
  /** Breakpoints and filters of exceptions: the last request for each file or kind, and the ids the editor knows. */
  readonly #settings = new Map<string, { request: DebugMessage; ids: unknown[] }>();
  /** Whether the editor has heard that it may send them. */
  isInitialized = false;

  /** Whether the editor has told all that it tells a debugger at the start. */
  get isConfigured(): boolean {
    return this.#configurationDone !== undefined;
  }

  /** Remembers a request that was passed on. */
  note(request: DebugMessage): void {
    const { command = '' } = request;
    if (command === 'initialize') this.#initialize = request;
    else if (command === 'attach' || command === 'launch') this.#attach = request;
    else if (command === 'configurationDone') this.#configurationDone = request;
    else if (isSetting(command)) this.#settings.set(settingKey(request), { request, ids: [] });
  }

  /** Whether another debugger is asked the same. */
  repeats(request: DebugMessage): boolean {
    const kept = [this.#initialize, this.#attach, this.#configurationDone];
    return kept.includes(request) || this.#settings.get(settingKey(request))?.request === request;
  }

  /** Remembers the ids that the editor got for its breakpoints. */
  noteIds(request: DebugMessage, ids: unknown[]): void {
    const setting = this.#settings.get(settingKey(request));
    if (setting?.request === request) setting.ids = ids;
  }

  /** Tells another debugger the same, in the order of the protocol. */
  async repeat(to: DebuggerStart): Promise<void> {
    if (!this.#initialize) return;
    await to.request(this.#initialize);
    if (!this.#attach) return;
    const attached = to.request(this.#attach);
    attached.catch(() => {});
    await to.initialized;
    for (const { request, ids } of this.#settings.values()) to.tookBreakpoints(await to.request(request), ids);
    if (!this.#configurationDone) return;
    await to.request(this.#configurationDone);
    await attached;
  }
}

/** The debugger of a process at the start of its session. */
export interface DebuggerStart {
  /** Resolves with the response. Rejects when its process ends. */
  request(message: DebugMessage): Promise<DebugMessage>;
  /** Resolves when it takes breakpoints. */
  readonly initialized: Promise<void>;
  /** `ids` are those that the editor knows for the breakpoints of a response, in the same order. */
  tookBreakpoints(response: DebugMessage, ids: unknown[]): void;
}

function isSetting(command: string): boolean {
  return /^set\w*Breakpoints$/.test(command) || command === 'setDebuggerProperty';
}

function settingKey({ command, arguments: given }: DebugMessage): string {
  return `${command} ${Object(given?.source).path ?? ''}`;
}

/** The breakpoints in a response or an event. */
export function breakpointsOf({ body }: DebugMessage): Record<string, unknown>[] {
  const listed = Array.isArray(body?.breakpoints) ? body.breakpoints : [body?.breakpoint];
  return listed.filter((one) => typeof one === 'object' && one !== null);
}
