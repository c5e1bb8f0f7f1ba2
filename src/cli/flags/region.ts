import { undocumentedRegion } from '../../app/toml/suggestions.ts';
import { checkRegionName } from '../../platform/config/setting-values.ts';
import type { Context } from '../../platform/context.ts';

/** A region that was typed: warns of one that no document has. Throws UsageError for what is named like none. */
export function checkTypedRegion({ progress }: Pick<Context, 'progress'>, word: string): string {
  const warning = undocumentedRegion(checkRegionName(word));
  if (warning) progress.warn(warning);
  return word;
}
