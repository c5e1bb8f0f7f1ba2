import type { AppRecord } from '../../model/state/records.ts';
import type { Store } from '../../model/state/store.ts';

/**
 * The origin of an app, where its pages find their own files, redirects and sockets: `http://web.localhost:4100`. Browsers
 * take such names for this machine. Undefined if its name cannot be part of a host name.
 */
export function appOrigin(app: AppRecord, emulatorUrl: string, store: Store): string | undefined {
  const label = labelOf(app, store);
  return label === undefined ? undefined : `http://${label}.localhost:${new URL(emulatorUrl).port || '80'}`;
}

/** The app whose origin has this host name; undefined if it is none. */
export function appOfHost(host: string, store: Store): AppRecord | undefined {
  const label = appHost.exec(host)?.[1]?.toLowerCase();
  return label === undefined ? undefined : [...store.apps.values()].find((app) => labelOf(app, store) === label);
}

const appHost = /^([^:]+)\.localhost(?::\d+)?$/i;

/** Its name, or its id if another app, of another project, has the same name. */
function labelOf({ id, name }: AppRecord, { apps }: Store): string | undefined {
  const label = name.toLowerCase();
  const isUnique = ![...apps.values()].some((other) => other.id !== id && other.name.toLowerCase() === label);
  const text = isUnique ? label : id.toLowerCase();
  // As in host names; a number would be an address.
  return /^(?!\d+$)[a-z\d_]([a-z\d_.-]{0,61}[a-z\d_])?$/.test(text) && !text.includes('..') ? text : undefined;
}
