import { dirname, join, resolve } from 'node:path';
import type { AppConfig } from '../app/config.ts';
import { findInstruction } from '../app/dockerfile.ts';
import { readTextIfPresent } from '../app/read-text.ts';
import { locateSetting } from '../app/set-config-value.ts';
import { createSource, locationOf } from '../app/toml/source.ts';
import type { FileLocation } from '../kernel/errors.ts';
import type { Explanation } from './explanation.ts';

const steps = [
  // The error of podman, its steps, those of docker without and with BuildKit, and what BuildKit shows of the file.
  /building at STEP "(.{1,400}?)": /,
  /^(?:\[\d{1,3}\/\d{1,3}\] )?STEP \d{1,3}(?:\/\d{1,3})?: (.{1,400})/,
  /^Step \d{1,3}\/\d{1,3} ?: (.{1,400})/,
  /^(?: > )?\[(?:\S{1,60} )?\d{1,3}\/\d{1,3}\] ([A-Z]{1,20} .{1,400})/,
  /^\s{0,6}\d{1,6} \| >>> (.{1,400})/,
];
const isBuilt = /^(?:\[\d{1,3}\/\d{1,3}\] )?COMMIT |^Successfully (?:built|tagged) |naming to /;

/** The instruction of a Dockerfile that printed the last of these lines, as its engine shows it; undefined if none did. */
export function stepOf(lines: readonly string[]): string | undefined {
  for (const line of lines.toReversed()) {
    if (isBuilt.test(line)) return 'CMD';
    const step = steps.map((pattern) => pattern.exec(line)?.[1]).find((text) => text !== undefined);
    if (step !== undefined) return step;
  }
  return undefined;
}

/** Settings that an app with a Dockerfile has in it. */
const inDockerfile =
  /^(?:dependencies\b|deployment\.(?:docker_base_image_url|\w+_commands|python_version)|runtime\.custom\.(?:dockerfile_path|entrypoint))/;

/** What is to change where no setting is named: another thing than the Dockerfile for these causes. */
const impliedSettings: Record<string, string> = {
  'container-engine-failed': 'the machine',
  'hardware-unavailable': 'the machine',
  'quota-exceeded': 'the plan',
};

/** The fix for an app with a Dockerfile: that installs the packages, not the settings. Its build shows it where no config does. */
export function fixedInDockerfile(explanation: Explanation, config: AppConfig | undefined): Explanation {
  const file = config ? config.custom?.dockerfile_path : explanation.step && 'the Dockerfile';
  if (
    file === undefined ||
    !inDockerfile.test(explanation.setting ?? impliedSettings[explanation.cause] ?? 'dependencies')
  )
    return explanation;
  const fix = explanation.fix.replace(
    /\badd (.{1,80}?) to \[cerebrium\.dependencies\.(\w+)\](?: or \[cerebrium\.dependencies\.\w+\])?(?:: \S+ = "([^"]*)")?/g,
    (_, what: string, kind: keyof typeof commands, version = '') => {
      const pinned = /^[<>=]/.test(version) ? `"${what}${version}"` : what;
      return `install ${what} in ${file}${/^\S+$/.test(what) ? `: RUN ${commands[kind]} ${pinned}` : ''}`;
    },
  );
  return {
    ...explanation,
    title: inItsWords(explanation.title, file),
    fix: inItsWords(fix, file),
    setting: 'runtime.custom.dockerfile_path',
  };
}

function inItsWords(text: string, file: string): string {
  return wordsOfDockerfiles
    .reduce((said, [setting, words]) => said.replace(setting, words), text)
    .replace(/\bFILE\b/g, file);
}

/** What settings are called there; FILE is its name. */
const wordsOfDockerfiles: readonly [setting: RegExp, words: string][] = [
  [/\[cerebrium\.dependencies\.\w+\]/g, 'FILE'],
  [/,? in pre_build_commands/g, ' in a RUN line before it'],
  [/ \(shell_commands\)/g, ' (a RUN line of FILE)'],
  [/python_version = "([\d.]+)"/g, 'use a base image with Python $1: FROM python:$1-slim'],
  [/\bset python_version to /g, 'use a base image with a Python: '],
  [/python_version/g, 'Python of the base image'],
  [/\bentrypoint = \[/g, 'CMD ['],
  [/\bthe entrypoint\b/g, 'the CMD of FILE'],
];

const commands = { pip: 'pip install', apt: 'apt-get update && apt-get install -y', conda: 'conda install -y' };

/** Where to change what failed: the instruction of the Dockerfile, or the setting. */
export async function locateFix(
  { setting, step }: Explanation,
  config: AppConfig | undefined,
  shownAs: string,
): Promise<FileLocation | undefined> {
  if (setting === undefined || !config) return undefined;
  const path = config.custom?.dockerfile_path;
  if (step !== undefined && path !== undefined && inDockerfile.test(setting)) {
    const instruction = findInstruction(readTextIfPresent(resolve(dirname(config.file), path)) ?? '', step);
    if (instruction) return { file: join(dirname(shownAs), path), ...instruction };
  }
  return inRequirements(setting, config, shownAs) ?? locateSetting(config, shownAs, setting);
}

/** The line of a file of requirements that names a package. */
function inRequirements(setting: string, { file, dependencies }: AppConfig, shownAs: string): FileLocation | undefined {
  const [, name = ''] = /^dependencies\.pip\.([\w.-]+)$/.exec(setting) ?? [];
  const path = dependencies.paths.pip || 'requirements.txt';
  const text = name && readTextIfPresent(resolve(dirname(file), path));
  if (!text) return undefined;
  const named = name.replace(/[-_.]+/g, '[-_.]+');
  const match = new RegExp(`(?<=^[ \\t]*)${named}(?![\\w.-])`, 'im').exec(text);
  const source = createSource(text, join(dirname(shownAs), path));
  return match ? locationOf(source, match.index, match.index + match[0].length) : undefined;
}
