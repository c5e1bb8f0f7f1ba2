import { posix } from 'node:path';
import type { RunCommand } from '../../app/docker-image.ts';
import { groupsOf } from '../groups.ts';
import { fitsRange } from './locks.ts';
import { lineWith } from './package-files.ts';
import { type PackageJson, readJsonc } from './package-json.ts';
import type { SeenCause } from './seen-cause.ts';
import type { Docker, Shipment } from './shipment.ts';

interface Wanted {
  /** A range of versions, as npm writes it. */
  range: string;
  /** What says it. */
  by: string;
}

/** A tool of an image, and the version that a file of the app wants of it. */
interface ToolRule {
  tool: string;
  image: RegExp;
  command: RegExp;
  file: string;
  wanted: (text: string, image: string) => Wanted | undefined;
  /** What of the Dockerfile may bring another version. */
  brings: RegExp;
  /** Whether a command only warns of it. */
  warns?: RegExp;
}

const atLeast = (version: string | undefined, by: string): Wanted | undefined =>
  version === undefined ? undefined : { range: `>=${version}`, by };

const first = (text: string, pattern: RegExp) => pattern.exec(text)?.[1];

const tools: readonly ToolRule[] = [
  {
    tool: 'Go',
    image: /(?:^|\/)golang:(\d+\.\d+(?:\.\d+)?)/,
    command: /^go (?:build|install|run|mod|vet|test)\b/,
    file: 'go.mod',
    // The images do not fetch another one; before 1.21 Go tries all the same, but knows no third number.
    wanted: (text, image) => {
      const version = first(text, fitsRange(image, '>=1.21') ? /^go (\d+\.\d+(?:\.\d+)?)/m : /^go (\d+\.\d+\.\d+)/m);
      return atLeast(version, `go ${version}`);
    },
    brings: /GOTOOLCHAIN|go\.dev|golang\.org\/dl/,
  },
  ...['Cargo.toml', 'Cargo.lock'].map((file) => ({
    tool: 'Rust',
    image: /(?:^|\/)rust:(\d+\.\d+(?:\.\d+)?)/,
    command: /^cargo (?:build|install|test)\b/,
    file,
    wanted: (text: string) =>
      atLeast(/^edition\s*=\s*"2024"/m.test(text) ? '1.85' : undefined, 'edition') ??
      atLeast(/^version = 4$/m.test(text) ? '1.78' : undefined, 'version = 4') ??
      atLeast(first(text, /^rust-version\s*=\s*"([\d.]+)"/m), 'rust-version'),
    brings: /rustup|RUSTUP_TOOLCHAIN/,
  })),
  {
    tool: 'Node',
    image: /(?:^|\/)node:(\d+(?:\.\d+)*)/,
    command: /^(?:npm (?:ci|i|install)|(?:yarn|pnpm)(?: install| i|$))(?: -|$)(?!.*--ignore-engines)/,
    file: 'package.json',
    wanted: (text) => {
      const range = readJsonc<PackageJson>(text)?.engines?.node;
      return range === undefined ? undefined : { range, by: '"node"' };
    },
    brings: /nvm|fnm|volta/,
    warns: /^(?:npm|yarn)/,
  },
];

/** A tool of the image that is older than a file of the app wants, or another one. */
export function* toolVersion(shipment: Shipment, docker: Docker, step: RunCommand): Generator<SeenCause> {
  const command = step.words.join(' ');
  for (const rule of tools.filter((each) => each.command.test(command) && !isBrought(each, docker, shipment))) {
    const [, has] = groupsOf(rule.image, step.before.base);
    const file = step.before.files.get(posix.resolve(step.cwd, rule.file)) ?? '';
    const text = shipment.read(file);
    const wanted = has && rule.wanted(text, has);
    if (!wanted || fitsRange(has, wanted.range)) continue;
    yield {
      cause: 'tool-version-wrong',
      severity: rule.warns?.test(command) ? 'warning' : 'error',
      at: { file, line: lineWith(text, wanted.by) },
      title: `${file} wants ${rule.tool} ${wanted.range}, and ${step.before.base} has ${has}`,
      why: `${docker.path}:${step.line} runs ${command}`,
      fix: `use a base image with that ${rule.tool}, or change what ${file} wants`,
    };
  }
}

const isBrought = ({ brings }: ToolRule, docker: Docker, shipment: Shipment) =>
  brings.test(docker.text) || shipment.paths.some((path) => /(?:^|\/)rust-toolchain/.test(path));
