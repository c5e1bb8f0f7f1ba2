import type { Api } from '../api/client.ts';
import { type Build, getBuild } from '../contract/builds.ts';
import { getRun, type Run } from '../contract/runs.ts';
import { UnexpectedReplyError } from '../errors.ts';

interface Place {
  project: string;
  app: string;
}

/** The state of one build. Throws UnexpectedReplyError when the platform answers with that of another one. */
export async function askedBuild(api: Api, named: Place & { build: string }): Promise<Build> {
  return expectAsked('build', named.build, await api(getBuild, named));
}

/** The state of one run. Throws UnexpectedReplyError when the platform answers with that of another one. */
export async function askedRun(api: Api, named: Place & { run: string }): Promise<Run> {
  return expectAsked('run', named.run, (await api(getRun, named)).item);
}

/** An answer without an id is taken to be about what was asked for. */
function expectAsked<T extends { id: string }>(kind: string, asked: string, answer: T): T {
  const { id } = answer;
  if (id === '') return { ...answer, id: asked };
  if (id.toLowerCase() === asked.toLowerCase()) return answer;
  throw new UnexpectedReplyError(`the platform answered with another ${kind} when asked for ${kind} ${asked}`, {
    details: { asked, answered: id },
  });
}
