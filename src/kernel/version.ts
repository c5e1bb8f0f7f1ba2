import names from '../../packaging/release-names.json' with { type: 'json' };

export { version } from '../../package.json' with { type: 'json' };

/** The names under which this program is published; null until we own the name (docs/internals/releasing.md). */
export const releaseNames: Record<keyof typeof names, string | null> = names;
