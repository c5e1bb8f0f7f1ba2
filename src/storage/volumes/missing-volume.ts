import { closestName } from '../../app/toml/closest-name.ts';
import { gantryCommand } from '../../kernel/command-line.ts';
import { NotFoundError } from '../../kernel/errors.ts';
import type { Context } from '../../platform/context.ts';
import { listVolumes } from '../../platform/contract/volumes.ts';
import { parseVolumes } from './parse-volumes.ts';

/**
 * What a 404 for the root of a volume is about if the project has no such volume: says so, with the most similar name.
 * The error itself if the volume is listed, or if the list cannot be read.
 */
export async function explainMissingVolume(
  api: Context['api'],
  project: string,
  volume: string,
  error: NotFoundError,
): Promise<NotFoundError> {
  const reply = await api(listVolumes, { project }).catch(() => undefined);
  const names = [...new Set(parseVolumes(reply).flatMap(({ name }) => name ?? []))];
  if (names.length === 0 || names.includes(volume)) return error;
  const facts = { fix: gantryCommand`volumes list`, details: { volume, volumes: names } };
  const meant = closestName(volume, names);
  if (meant)
    return new NotFoundError(`volume ${volume} not found: did you mean ${meant}?`, {
      ...facts,
      corrected: { typed: volume, meant },
    });
  return new NotFoundError(`volume ${volume} not found`, {
    ...facts,
    why: `volumes of ${project}: ${names.join(', ')}`,
  });
}
