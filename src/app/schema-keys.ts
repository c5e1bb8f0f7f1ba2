/** The longest label of a host name. */
export const maxNameLength = 63;

/** For editors; `gantry check` says what it doubts (rules/name.ts). */
export const namePattern = '^[A-Za-z0-9_.-]+$';

export const nameCharacters = new RegExp(namePattern);

export interface SettingKinds {
  string: string;
  boolean: boolean;
  integer: number;
  number: number;
  strings: string[];
  /** One name, or several in order of preference; a list once parsed. */
  compute: string[];
  /** A command as a list of words, or as a string that is split like a shell does. */
  command: string[];
}

export type SettingKind = keyof SettingKinds;

export interface HardwareDefault<T> {
  cpu: T;
  gpu: T;
}

interface KeyFacts<K extends SettingKind> {
  /** The field of the create-app request: see {@link fieldOf}. Null: the platform reads the key from the text of the file. */
  field?: string | null;
  default?: SettingKinds[K] | HardwareDefault<SettingKinds[K]>;
  absent?: string;
  oneOf?: readonly string[];
  /** The documented range, inclusive. Without a second number there is no upper limit. */
  range?: readonly [number, number?];
  unit?: string;
  /** A regular expression for the whole value, and its maximum length. */
  pattern?: string;
  maxLength?: number;
  /** Values outside `oneOf` are errors: the platform rejects them. */
  strict?: true;
  required?: true;
}

export interface Key<K extends SettingKind = SettingKind> extends KeyFacts<K> {
  kind: K;
  about: string;
}

export const stringKey = describe('string');
export const booleanKey = describe('boolean');
export const integerKey = describe('integer');
export const numberKey = describe('number');
export const stringsKey = describe('strings');
export const computeKey = describe('compute');
export const commandKey = describe('command');

/** The field of the create-app request that has a key: `pythonVersion` of `python_version`, unless it is another one. */
export function fieldOf(name: string, { field }: Key): string | null {
  return field === undefined ? name.replace(/_./g, ([, letter = '']) => letter.toUpperCase()) : field;
}

export function isHardwareDefault(value: Key['default']): value is HardwareDefault<never> {
  return typeof value === 'object' && 'cpu' in value;
}

function describe<K extends SettingKind>(kind: K) {
  return (about: string, facts: KeyFacts<K> = {}): Key<K> => ({ kind, about, ...facts });
}
