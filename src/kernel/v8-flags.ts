/** A flag of V8, which holds for the whole process, and what undoes all that it does. */
export interface V8Flag {
  flag: string;
  usual: readonly string[];
}

const changed = new Map<string, V8Flag>();

/** Loads node:v8 when it is needed: it takes a twentieth of the start of a command. */
const setInV8 = (flag: string): void => process.getBuiltinModule('node:v8').setFlagsFromString(flag);

/** Sets a flag until {@link unsetFlag}. */
export function setFlag(flag: V8Flag): void {
  setInV8(flag.flag);
  changed.set(flag.flag, flag);
}

export function unsetFlag({ flag, usual }: V8Flag): void {
  for (const each of usual) setInV8(each);
  changed.delete(flag);
}

/** V8 accepts compiled code only under the flags that it was compiled with. */
export function underUsualFlags<Result>(work: () => Result): Result {
  for (const { usual } of changed.values()) for (const each of usual) setInV8(each);
  try {
    return work();
  } finally {
    for (const { flag } of changed.values()) setInV8(flag);
  }
}
