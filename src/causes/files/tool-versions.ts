import { posix } from 'node:path';
import { isOlder } from '../../app/wheels.ts';
import { fits, groupsOf, lineWith } from '../groups.ts';
import type { Look } from './looked-app.ts';
import { say } from './said.ts';
import type { ImageStep, Shipment } from './shipment.ts';

/** A tool of an image, and what a file of the app says that it wants: a version, or a sign of one. */
interface ToolRule {
  tool: string;
  image: RegExp;
  command: RegExp;
  files: readonly string[];
  wants: readonly (readonly [sign: RegExp, version?: string])[];
}

const tools: readonly ToolRule[] = [
  {
    tool: 'Go',
    // Before 1.21 Go tries all the same.
    image: /(?:^|\/)golang:(1\.(?:2[1-9]|[3-9]\d)(?:\.\d+)?)/,
    command: /^go (?:build|install|run|mod|vet|test)\b/,
    files: ['go.mod'],
    wants: [[/^go (\d+\.\d+(?:\.\d+)?)/m]],
  },
  {
    tool: 'Rust',
    image: /(?:^|\/)rust:(\d+\.\d+(?:\.\d+)?)/,
    command: /^cargo (?:build|install|test)\b/,
    files: ['Cargo.toml', 'Cargo.lock'],
    wants: [[/^edition\s*=\s*"2024"/m, '1.85'], [/^version = 4$/m, '1.78'], [/^rust-version\s*=\s*"([\d.]+)"/m]],
  },
  {
    tool: 'Node',
    image: /(?:^|\/)node:(\d+(?:\.\d+)*)/,
    command: /^(?:yarn|pnpm)(?: install| i|$)(?: -|$)(?!.*--ignore-engines)/,
    files: ['package.json'],
    wants: [[/"node":\s*">=\s*(\d+(?:\.\d+)*)"/]],
  },
  {
    tool: 'Node',
    image: /(?:^|\/)node:(\d+(?:\.\d+)*)/,
    command: /^(?:(?:npm|pnpm) run|yarn(?: run)?) build$|^(?:npx )?next build/,
    files: ['package.json'],
    wants: [
      [/"next":\s*"[~^]?1[45]\./, '18.17'],
      [/"next":\s*"[~^]?16\./, '20.9'],
    ],
  },
  {
    tool: 'Ruby',
    image: /(?:^|\/)ruby:(\d+\.\d+(?:\.\d+)?)/,
    command: /^bundle install\b/,
    files: ['Gemfile'],
    wants: [[/^ruby ["'](?:(?:~>|>=)\s*)?(\d[\d.]*)["']/m]],
  },
  {
    tool: '.NET',
    image: /dotnet\/sdk:(\d+\.\d+)/,
    command: /^dotnet (?:restore|build|publish)\b/,
    files: ['*.csproj'],
    wants: [[/<TargetFramework>net(\d+\.\d+)</]],
  },
  {
    tool: 'Java',
    image: /(?:temurin|openjdk|corretto|zulu\S*):(\d+)/,
    command: /^java\b.* -jar\b/,
    files: ['*pom.xml'],
    wants: [[/<(?:java\.version|maven\.compiler\.release)>(\d+)</]],
  },
];

type ToolStep = Pick<ImageStep, 'words' | 'at' | 'cwd' | 'before'>;

/** A tool of the image that is older than a file of the app wants. */
export const toolVersion: Look<ToolStep> = (step, { shipment }) => {
  const command = step.words.join(' ');
  const { base } = step.before;
  const rule = tools.find((each) => each.command.test(command) && !isBrought(shipment));
  const [, has] = rule ? groupsOf(rule.image, base) : [];
  if (!rule || has === undefined) return undefined;
  const place = `${step.at.file}:${step.at.line}`;
  return rule.files
    .flatMap((name) => filesAt(name, step, shipment))
    .flatMap((file) => {
      const text = shipment.read(file);
      const wanted = wishesIn(text, rule).find(({ version }) => isBelow(has, version));
      const facts = { file, tool: rule.tool, wanted: wanted?.version, base, has, place, command };
      return wanted ? say('tool-version-wrong', facts, { at: { file, line: lineWith(text, wanted.said) } }) : [];
    });
};

const wishesIn = (text: string, { wants }: ToolRule) =>
  wants.flatMap(([sign, version]) => {
    const [said, own = ''] = groupsOf(sign, text);
    return said === undefined ? [] : [{ said, version: version ?? own }];
  });

/** `*.csproj` is any file of the app with that end, whether the image has it or not. */
const filesAt = (name: string, { before, cwd }: ToolStep, { paths }: Shipment): string[] =>
  name.startsWith('*')
    ? paths.filter((path) => path.endsWith(name.slice(1)))
    : [before.files.get(posix.resolve(cwd, name)) ?? []].flat();

/** What of the Dockerfile may bring another version. */
const brings =
  /GOTOOLCHAIN|go\.dev|golang\.org\/dl|rustup|RUSTUP_TOOLCHAIN|nvm|fnm|volta|rbenv|rvm|dotnet-install|sdkman/;

/** A tag with fewer numbers is the newest of them. */
const isBelow = (has: string, wanted: string) =>
  isOlder(has, wanted.split('.').slice(0, has.split('.').length).join('.'));

const isBrought = ({ dockerfile, paths }: Shipment) =>
  fits(brings, dockerfile()?.text) || paths.some((path) => /(?:^|\/)rust-toolchain/.test(path));
