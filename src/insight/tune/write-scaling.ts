import { resolve } from 'node:path';
import type { TomlTable } from 'smol-toml';
import { setConfigValue } from '../../app/set-config-value.ts';
import { isTable } from '../../app/toml/format.ts';
import { createSource, readText } from '../../app/toml/source.ts';
import { parseToml } from '../../app/toml/syntax.ts';
import { readAppHere } from '../../deploys/apps.ts';
import { toDiskErrorOf, writeFileAtomic } from '../../kernel/disk/index.ts';
import { FailedError, GantryError, UsageError } from '../../kernel/errors.ts';
import type { Context } from '../../platform/context.ts';
import { shortAppName } from '../../platform/contract/endpoint.ts';
import type { ScalingSettings, TunedOption } from './advice.ts';
import { scalingSettings } from './choose-options.ts';

interface WriteOptions<Advice> {
  app: string;
  configFile: string;
  wanted: 'cheapest' | 'fastest';
  read: () => Promise<Advice>;
}

/** Writes an option into the config file. Looks at the file first: advice takes a while. Throws UsageError, FailedError. */
export async function writeAdvice<Advice extends { options: readonly TunedOption[] }>(
  context: Context,
  { app, configFile, wanted, read }: WriteOptions<Advice>,
) {
  const text = await readScalingFile(context, shortAppName(context.project, app), configFile);
  const advice = await read();
  const [now] = advice.options;
  const option = advice.options.find((each) => each.option === wanted);
  if (!now || !option) {
    context.progress.warn('nothing to write: no settings are advised');
    return { ...advice, written: [] };
  }
  const { edited, written } = await editScaling(text, configFile, { from: now, to: option });
  const done = { ...advice, written };
  const what = written.map(({ setting, to }) => `${setting} = ${to}`);
  if (written.length === 0) {
    context.progress.note('nothing to write: the settings are the same');
    return done;
  }
  context.willChange(
    what.map((assignment) => `set ${assignment} in ${configFile}`),
    done,
  );
  await writeFileAtomic(resolve(context.cwd, configFile), edited, { signal: context.signal }).catch((cause) => {
    throw cause instanceof GantryError ? cause : toDiskErrorOf(configFile, cause);
  });
  context.progress.note(`wrote ${what.join(', ')} to ${configFile}`);
  return done;
}

/** The text of the config file of an app. Throws UsageError if it is not about this one. */
async function readScalingFile(context: Context, app: string, configFile: string): Promise<string> {
  const file = resolve(context.cwd, configFile);
  const name = await readAppHere(context, configFile);
  if (name !== app) throw new UsageError(`--write needs the folder of ${app}: ${configFile} is that of ${name}`);
  const read = await readText(file, configFile);
  if ('problem' in read) throw new FailedError(read.problem.message);
  return read.text;
}

/** Sets what differs from the file, or where that says nothing, from what is deployed. Comments stay. */
async function editScaling(text: string, configFile: string, { from, to }: Record<'from' | 'to', ScalingSettings>) {
  const inFile = scalingIn(text, configFile);
  const changed = scalingSettings.filter(({ name, key }) => Number(inFile[key] ?? from[name]) !== to[name]);
  let edited = text;
  // Each becomes the first of its section.
  for (const { name, key } of changed.toReversed()) {
    edited = await setConfigValue(edited, ['cerebrium', 'scaling'], key, String(to[name]));
  }
  const written = changed.map(({ name, key }) => ({ setting: `scaling.${key}`, to: to[name] }));
  const now = scalingIn(edited, configFile);
  if (changed.every(({ name, key }) => Number(now[key]) === to[name])) return { edited, written };
  throw new FailedError(`cannot change ${configFile}: its scaling is written in an unusual way`, {
    fix: written.map(({ setting, to }) => `${setting} = ${to}`).join(', '),
  });
}

/** Empty if it cannot be read. */
function scalingIn(text: string, configFile: string): TomlTable {
  const { document, problems } = parseToml(createSource(text, configFile));
  const { cerebrium } = problems.length === 0 && document ? document : {};
  const scaling = isTable(cerebrium) ? cerebrium.scaling : undefined;
  return isTable(scaling) ? scaling : {};
}
