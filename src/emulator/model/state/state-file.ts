import { after } from '../../../kernel/clock.ts';
import { writeFileAtomicSync } from '../../../kernel/disk/index.ts';

/** A file that is replaced when its content has changed: at once, or soon for what changes with each call of an app. */
export class StateFile {
  #stopTimer: (() => void) | undefined;
  #lastMs = 0;
  #hasFailed = false;

  constructor(
    private readonly path: string,
    private readonly serialize: () => string,
  ) {}

  write(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    const started = performance.now();
    this.#hasFailed = true;
    writeFileAtomicSync(this.path, this.serialize(), { mode: 0o600 });
    this.#hasFailed = false;
    this.#lastMs = performance.now() - started;
  }

  /** After a failure it writes at once: who causes the change learns of it. */
  writeSoon(): void {
    const pauseMs = Math.max(minPauseMs, this.#lastMs * pauseFactor);
    if (this.#hasFailed) this.write();
    else this.#stopTimer ??= after(pauseMs, () => this.#tryWrite(), { background: true });
  }

  #tryWrite(): void {
    try {
      this.write();
    } catch {
      // The next change tries again, and so does the end of the emulator.
    }
  }
}

const minPauseMs = 250;
/** Of its time the emulator spends a twentieth on writing, however long that takes. */
const pauseFactor = 20;
