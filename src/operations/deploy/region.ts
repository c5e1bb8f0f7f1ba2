import type { Setting } from '../../config/settings.ts';

/** What was asked for on this command line or in its environment, else what the file says, else the profile. */
export function chooseRegion({ value, origin }: Setting, written: string | undefined): string | undefined {
  return origin === 'profile' ? (written ?? value) : (value ?? written);
}
