import { setFlagsFromString } from 'node:v8';

/** A flag of V8, which holds for the whole process, and what undoes all that it does. */
export interface V8Flag {
  flag: string;
  usual: readonly string[];
}

const changed = new Map<string, V8Flag>();

/** Sets a flag until {@link unsetFlag}. */
export function setFlag(flag: V8Flag): void {
  setFlagsFromString(flag.flag);
  changed.set(flag.flag, flag);
}

export function unsetFlag({ flag, usual }: V8Flag): void {
  for (const each of usual) setFlagsFromString(each);
  changed.delete(flag);
}

/** V8 accepts compiled code only under the flags that it was compiled with. */
export function underUsualFlags<Result>(work: () => Result): Result {
  for (const { usual } of changed.values()) for (const each of usual) setFlagsFromString(each);
  try {
    return work();
  } finally {
    for (const { flag } of changed.values()) setFlagsFromString(flag);
  }
}
