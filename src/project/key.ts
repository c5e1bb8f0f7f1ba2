/** What a key of `cerebrium.toml` may hold, as the project holds it once read. */
export interface Kinds {
  string: string;
  boolean: boolean;
  integer: number;
  number: number;
  strings: string[];
  /** One name or several in order of preference; always a list once read. */
  compute: string[];
  /** A command as a list of words, or as one string split as a shell would. */
  command: string[];
}

export type Kind = keyof Kinds;

/** A default that depends on whether the app has a GPU (or another accelerator). */
export interface HardwareDefault<T> {
  cpu: T;
  gpu: T;
}

interface Facts<K extends Kind> {
  /** Its name in the create-app call. Without one, the platform reads the key from the file's text. */
  field?: string;
  /** What the platform applies when the key is absent. */
  default?: Kinds[K] | HardwareDefault<Kinds[K]>;
  /** What happens when the key is absent, where that is not a value. */
  absent?: string;
  /** The documented values. */
  oneOf?: readonly string[];
  /** The documented range, inclusive; without a second number there is no upper limit. */
  range?: readonly [number, number?];
  unit?: string;
  /** A value outside `oneOf` is an error: the platform is known to refuse it. */
  strict?: true;
  required?: true;
}

export interface Key<K extends Kind = Kind> extends Facts<K> {
  kind: K;
  /** One line that describes it, for people and editors. */
  about: string;
}

export const string = describe('string');
export const boolean = describe('boolean');
export const integer = describe('integer');
export const number = describe('number');
export const strings = describe('strings');
export const compute = describe('compute');
export const command = describe('command');

/** Whether a default depends on the hardware. */
export function isHardwareDefault(value: Key['default']): value is HardwareDefault<never> {
  return typeof value === 'object' && 'cpu' in value;
}

function describe<K extends Kind>(kind: K) {
  return (about: string, facts: Facts<K> = {}): Key<K> => ({ kind, about, ...facts });
}
