export interface Pipeline {
  /** Where the system looks for it, from the root of the repository. */
  path: string;
  text: string;
}

/** Shell commands. */
export interface Commands {
  install: string;
  check: string;
  plan: string;
  /** Where the plan is, from the root of the repository. */
  planFile: string;
  preview: string;
  /** Deletes the preview of the branch that this variable names. */
  endPreview: (branch: string) => string;
  deploy: string;
  /** What is deployed, in quotes: YAML reads other names of branches as something else. */
  branch: string;
  /** The app, from the root of the repository. */
  folder: string;
  /** What to add to it; empty if nothing is missing. */
  advice: string;
  /** Deletes previews whose time to live is over. */
  prune: string;
}

/** Makes machines that start anew know what others deployed and found. */
export const teamState = 'GANTRY_TEAM_STATE: default:/.gantry';

/** A comment above a line that is indented so far. */
export function commented(text: string, indent: string): string {
  return text === '' ? '' : `${indent}# ${text}\n`;
}

export const setUp = (where: string) => `# Made by gantry init --ci; change it as you like.
# ${where} GANTRY_TOKEN to the token of a service account, as a secret, and
# GANTRY_PROJECT to the id of your project. The service account needs access to it: it deploys and deletes apps, and
# writes to the volume, where GANTRY_TEAM_STATE keeps what the next run has to know.
`;
