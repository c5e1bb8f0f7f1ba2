import { stat } from 'node:fs/promises';
import * as v from 'valibot';
import { readRegular, toDiskErrorOf, writeFileAtomic } from '../../kernel/disk/index.ts';
import { ConflictError, UsageError } from '../../kernel/errors.ts';
import { parseJsonOr, stringifyJson } from '../../kernel/json-text.ts';

const MapRecord = v.object({
  gantryMap: v.literal(1),
  /** The file of inputs. */
  input: v.object({ bytes: v.number(), sha256: v.string(), inputs: v.number() }),
  /** What is called, for people. */
  target: v.string(),
  /** The same, with its platform. */
  key: v.string(),
  /** How many calls may be in flight, or were when it ended. */
  inFlight: v.number(),
});
type MapRecord = v.InferOutput<typeof MapRecord>;

/**
 * What the lines of a results file belong to: which inputs, and what was called. It is kept beside the results, so that
 * these are nothing but JSON lines.
 */
export class RecordFile {
  readonly #path: string;

  constructor(
    private readonly results: { name: string; path: string },
    private readonly own: Omit<MapRecord, 'gantryMap' | 'inFlight'>,
  ) {
    this.#path = `${results.path}.gantry-map`;
  }

  /** What the results are of. */
  get identity(): string {
    return `${this.own.input.sha256} ${this.own.key}`;
  }

  /**
   * How many calls may have been in flight when the last command ended. Throws ConflictError if there are results of other
   * inputs, or of calls of something else.
   */
  async check(): Promise<number> {
    const { name, path } = this.results;
    const stats = await stat(path).catch(() => undefined);
    if (stats && !stats.isFile()) {
      const what = stats.isDirectory() ? 'a folder' : 'no regular file';
      throw new UsageError(`${name} is ${what}`, { fix: 'name a file for the results: it is read again' });
    }
    const fix = 'name another results file, or remove this one';
    const text = String(await readRegular(this.#path).catch(() => ''));
    const record = v.safeParse(MapRecord, parseJsonOr(text, undefined));
    const { input: ownInput, target: ownTarget, key: ownKey } = this.own;
    const { input, target, key, inFlight } = record.success ? record.output : unknownRecord;
    const isSameInput = input.sha256 === ownInput.sha256 && input.bytes === ownInput.bytes;
    if (!stats?.size && !(isSameInput && key === ownKey)) return 0;
    if (!record.success) {
      throw new ConflictError(`${name} exists and is not known to have results of gantry map`, {
        why: `${name}.gantry-map, which says which inputs they are of, is missing or damaged`,
        fix,
      });
    }
    if (!isSameInput) {
      const why = `they are of ${input.inputs} inputs in ${input.bytes} bytes with the SHA-256 ${input.sha256.slice(0, 12)}…`;
      throw new ConflictError(`${name} has results of other inputs`, { why, fix });
    }
    if (key !== ownKey) {
      const why = target === ownTarget ? 'of another platform' : `now you call ${ownTarget}`;
      throw new ConflictError(`${name} has results of ${target}`, { why, fix });
    }
    return inFlight;
  }

  async write(inFlight: number): Promise<void> {
    const record: MapRecord = { gantryMap: 1, ...this.own, inFlight };
    await writeFileAtomic(this.#path, `${stringifyJson(record)}\n`).catch((cause) => {
      throw toDiskErrorOf(`cannot write ${this.results.name}.gantry-map`, cause);
    });
  }
}

const unknownRecord: Omit<MapRecord, 'gantryMap'> = {
  input: { bytes: 0, sha256: '', inputs: 0 },
  target: '',
  key: '',
  inFlight: 0,
};
