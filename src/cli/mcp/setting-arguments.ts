import type { Context } from '../../platform/context.ts';

/** The settings that gantry was called with, as arguments for calls that should use the same. */
export function settingArguments({ flags: { project, profile, region } }: Pick<Context, 'flags'>): string[] {
  return Object.entries({ project, profile, region }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}=${value}`],
  );
}
