import type { FileLocation } from '../errors.ts';
import type { AppConfig } from './config.ts';
import { warningAt } from './toml/issue.ts';
import { locateIssues } from './toml/locate.ts';
import { createSource } from './toml/source.ts';

/**
 * Where a setting of a config file is, by its dotted path below `cerebrium`; of one that is not set, the section around
 * it. Undefined without a config file. The key of a package may have dots: it is what follows the third name.
 */
export async function locateSetting(
  { text }: Pick<AppConfig, 'text'>,
  shownAs: string,
  setting: string,
): Promise<FileLocation | undefined> {
  if (text === '') return undefined;
  const [located] = await locateIssues([warningAt(settingPath(setting), '')], createSource(text, shownAs));
  return located?.location;
}

function settingPath(setting: string): string[] {
  const [section = '', name, ...rest] = setting.split('.');
  return ['cerebrium', section, ...(name === undefined ? [] : [name]), ...(rest.length > 0 ? [rest.join('.')] : [])];
}
