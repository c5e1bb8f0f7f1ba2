import { GantryError, UsageError } from '../../kernel/errors.ts';
import type { Context } from '../../platform/context.ts';
import { listContainers } from '../../platform/contract/containers.ts';
import { toAppId } from '../../platform/contract/endpoint.ts';

/**
 * The full name of a container that was named by a part of it, which the platform does not accept. The name as it was
 * given if no container has it: containers that ended long ago are not listed, but have log lines. Throws UsageError if
 * several do.
 */
export async function findContainer(
  { api, project, signal }: Pick<Context, 'api' | 'project' | 'signal'>,
  app: string,
  given: string,
): Promise<string> {
  if (given.startsWith(`${toAppId(project, app)}-`)) return given;
  const containers = await api(listContainers, { project, app }).catch((error: unknown) => {
    // The log itself can be read without.
    if (!(error instanceof GantryError) || signal.aborted) throw error;
    return [];
  });
  const names = [...new Set((containers ?? []).map(({ containerId }) => containerId))];
  const matches = [
    names.filter((name) => name === given),
    names.filter((name) => name.endsWith(given)),
    names.filter((name) => name.includes(given)),
  ].find((found) => found.length > 0);
  if (!matches || matches.length === 1) return matches?.[0] ?? given;
  throw new UsageError(`"${given}" names ${matches.length} containers`, {
    why: `these match: ${matches.join(', ')}; type more of the name`,
  });
}
