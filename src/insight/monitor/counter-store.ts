import { join } from 'node:path';
import * as v from 'valibot';
import { makePrivateFolder, readRegular, writeFileAtomicSync } from '../../kernel/disk/index.ts';
import { tryParseJson } from '../../kernel/json-text.ts';
import { platformOf, stateKey } from '../../platform/config/state-key.ts';
import type { Context } from '../../platform/context.ts';
import { CallCounter, KeptCounts } from './call-counter.ts';

const KeptApps = v.record(v.string(), KeptCounts);

/** The counters of a project's apps, which are kept over restarts. */
export class CounterStore {
  readonly #counters = new Map<string, CallCounter>();
  #hasWarned = false;

  private constructor(
    private readonly context: Context,
    private readonly path: string,
    private readonly kept: Record<string, KeptCounts>,
  ) {}

  static async open(context: Context): Promise<CounterStore> {
    const { settings, project } = context;
    const folder = join(settings.folders.state, 'metrics');
    const path = join(folder, `${stateKey(platformOf(settings), project)}.json`);
    const text = await readRegular(path).catch(() => undefined);
    const parsed = v.safeParse(KeptApps, text === undefined ? undefined : tryParseJson(String(text)));
    return new CounterStore(context, path, parsed.success ? parsed.output : {});
  }

  counterOf(app: string): CallCounter {
    const known = this.#counters.get(app);
    if (known) return known;
    const counter = new CallCounter(this.context, app, this.kept[app], (kept) => {
      this.kept[app] = kept;
      this.#write();
    });
    this.#counters.set(app, counter);
    return counter;
  }

  /** Whether the app has been counted. */
  has(app: string): boolean {
    return app in this.kept;
  }

  /** Before the counts are told: what a scrape has seen must not fall after a kill. */
  #write(): void {
    try {
      makePrivateFolder(join(this.path, '..'));
      writeFileAtomicSync(this.path, JSON.stringify(this.kept), { mode: 0o600 });
    } catch (error) {
      if (!this.#hasWarned) {
        this.context.progress.warn(`cannot keep counters in ${this.path}: ${(error as Error).message}`);
      }
      this.#hasWarned = true;
    }
  }
}
