import { posix } from 'node:path';
import type { RunCommand } from '../../app/docker-image.ts';
import { isOlder } from '../../app/wheels.ts';
import { groupsOf } from '../groups.ts';
import { lineWith } from './package-files.ts';
import type { SeenCause } from './seen-cause.ts';
import type { Docker, Shipment } from './shipment.ts';

/** A tool of an image, and what a file of the app says that it wants: a version, or a sign of one. */
interface ToolRule {
  tool: string;
  image: RegExp;
  command: RegExp;
  files: readonly string[];
  wants: readonly (readonly [sign: RegExp, version?: string])[];
  /** What of the Dockerfile may bring another version. */
  brings: RegExp;
}

const tools: readonly ToolRule[] = [
  {
    tool: 'Go',
    // Before 1.21 Go tries all the same.
    image: /(?:^|\/)golang:(1\.(?:2[1-9]|[3-9]\d)(?:\.\d+)?)/,
    command: /^go (?:build|install|run|mod|vet|test)\b/,
    files: ['go.mod'],
    wants: [[/^go (\d+\.\d+(?:\.\d+)?)/m]],
    brings: /GOTOOLCHAIN|go\.dev|golang\.org\/dl/,
  },
  {
    tool: 'Rust',
    image: /(?:^|\/)rust:(\d+\.\d+(?:\.\d+)?)/,
    command: /^cargo (?:build|install|test)\b/,
    files: ['Cargo.toml', 'Cargo.lock'],
    wants: [[/^edition\s*=\s*"2024"/m, '1.85'], [/^version = 4$/m, '1.78'], [/^rust-version\s*=\s*"([\d.]+)"/m]],
    brings: /rustup|RUSTUP_TOOLCHAIN/,
  },
  {
    tool: 'Node',
    image: /(?:^|\/)node:(\d+(?:\.\d+)*)/,
    command: /^(?:yarn|pnpm)(?: install| i|$)(?: -|$)(?!.*--ignore-engines)/,
    files: ['package.json'],
    wants: [[/"node":\s*">=\s*(\d+(?:\.\d+)*)"/]],
    brings: /nvm|fnm|volta/,
  },
];

/** A tool of the image that is older than a file of the app wants. */
export function* toolVersion(shipment: Shipment, docker: Docker, step: RunCommand): Generator<SeenCause> {
  const command = step.words.join(' ');
  const rule = tools.find((each) => each.command.test(command) && !isBrought(each, docker, shipment));
  const [, has] = rule ? groupsOf(rule.image, step.before.base) : [];
  if (!rule || has === undefined) return;
  for (const file of rule.files.flatMap((name) => step.before.files.get(posix.resolve(step.cwd, name)) ?? [])) {
    const found = rule.wants.flatMap(([sign, version]) => {
      const [said, own] = groupsOf(sign, shipment.read(file));
      return said === undefined ? [] : [{ said, version: version ?? own ?? '0' }];
    });
    const wanted = found.find(({ version }) => isBelow(has, version));
    if (wanted)
      yield {
        cause: 'tool-version-wrong',
        severity: 'error',
        at: { file, line: lineWith(shipment.read(file), wanted.said) },
        title: `${file} wants ${rule.tool} >=${wanted.version}, and ${step.before.base} has ${has}`,
        why: `${docker.path}:${step.line} runs ${command}`,
        fix: `use a base image with that ${rule.tool}, or change what ${file} wants`,
      };
  }
}

/** A tag with fewer numbers is the newest of them. */
const isBelow = (has: string, wanted: string) =>
  isOlder(has, wanted.split('.').slice(0, has.split('.').length).join('.'));

const isBrought = ({ brings }: ToolRule, docker: Docker, shipment: Shipment) =>
  brings.test(docker.text) || shipment.paths.some((path) => /(?:^|\/)rust-toolchain/.test(path));
