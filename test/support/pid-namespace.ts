import { spawnSync } from 'node:child_process';

/** Runs a program in a pid namespace of its own, as a container does. What it starts ends with it. */
export const inPidNamespace = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc'] as const;

const [unshare, ...flags] = inPidNamespace;
const tried = spawnSync(unshare, [...flags, 'true'], { encoding: 'utf8' });

/** Why this machine cannot make a pid namespace; undefined if it can. */
export const noPidNamespace = tried.status === 0 ? undefined : (tried.error?.message ?? tried.stderr.trim());
