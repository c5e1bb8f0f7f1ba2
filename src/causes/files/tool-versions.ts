import { posix } from 'node:path';
import { isOlder } from '../../app/wheels.ts';
import { fits, groupsOf, lineWith } from '../../kernel/groups.ts';
import { once } from '../../kernel/once.ts';
import { rowsOf } from '../rule.ts';
import type { Look } from './looked-app.ts';
import { say } from './said.ts';
import type { ImageStep, Shipment } from './shipment.ts';

/**
 * A tool, the images that have it, the commands that need it, the files that say what they want, and signs of a version there:
 * they capture it, or it is behind `=>`. Before 1.21, Go tries all that it can read.
 */
const tools = once(() =>
  rowsOf`
Go | golang:(1\.(?:2[1-9]|[3-9]\d)(?:\.\d+)?) | ^go (?:build|install|run|mod|vet|test)\b | go.mod | ^go (\d+\.\d+(?:\.\d+)?)
Go | golang:(1\.(?:1\d|20)(?:\.\d+)?) | ^go (?:build|install|run|mod|vet|test)\b | go.mod | ^go \d+\.\d+\.\d+ => 1.21 | ^toolchain\b => 1.21
Rust | rust:(\d+\.\d+(?:\.\d+)?) | ^cargo (?:build|install|test)\b | Cargo.toml Cargo.lock | ^edition\s*=\s*"2024" => 1.85 | ^version = 4$ => 1.78 | ^rust-version\s*=\s*"([\d.]+)"
Node | node:(\d+(?:\.\d+)*) | ^(?:yarn|pnpm)(?: install| i|$)(?: -|$)(?!.*--ignore-engines) | package.json | "node":\s*">=\s*(\d+(?:\.\d+)*)"
Node | node:(\d+(?:\.\d+)*) | ^(?:(?:npm|pnpm) run|yarn(?: run)?) build$|^(?:npx )?(?:next|vite) build | package.json | "next":\s*"[~^]?1[45]\. => 18.17 | "next":\s*"[~^]?16\. => 20.9 | "vite":\s*"[~^]?7\. => 20.19
Ruby | ruby:(\d+\.\d+(?:\.\d+)?) | ^bundle install\b | Gemfile | ^ruby ["'](?:(?:~>|>=)\s*)?(\d[\d.]*)["']
PHP | php:(\d+\.\d+) | ^composer (?:install|update)\b(?!.*--ignore-platform) | composer.json | "php":\s*"(?:\^|~|>=)\s*(\d+\.\d+)
.NET | dotnet/sdk:(\d+\.\d+) | ^dotnet (?:restore|build|publish)\b | *.csproj | <TargetFramework>net(\d+\.\d+)<
.NET | dotnet/(?:aspnet|runtime):(\d+\.\d+) | ^dotnet \S+\.dll\b | *.csproj | <TargetFramework>net(\d+\.\d+)<
Java | (?:temurin|openjdk|corretto|zulu\S*)[:-](\d+) | ^java\b.* -jar\b|^\S*mvnw?\b.*\b(?:compile|install|package|verify)\b | *pom.xml | <(?:java\.version|maven\.compiler\.release)>(\d+)<
`.map((row) => {
    const [tool = '', image = '', command = '', files = '', ...signs] = row.split(' | ');
    const wants = signs.map((each) => each.split(' => ')).map(([sign = '', version]) => ({ sign, version }));
    const patterns = { image: new RegExp(`(?:^|[/-])${image}`), command: new RegExp(command) };
    return { tool, ...patterns, files: files.split(' '), wants };
  }),
);

type ToolRule = ReturnType<typeof tools>[number];

type ToolStep = Pick<ImageStep, 'words' | 'at' | 'cwd' | 'before'>;

/** A tool of the image that is older than a file of the app wants. */
export const toolVersion: Look<ToolStep> = (step, { shipment }) => {
  const command = step.words.join(' ');
  const { base } = step.before;
  const place = `${step.at.file}:${step.at.line}`;
  const rules = tools().filter((each) => each.command.test(command) && each.image.test(base));
  const versions = rules.flatMap((rule) =>
    rule.files.flatMap((name) => filesAt(name, step, shipment)).map((file) => ({ rule, file })),
  );
  return (isBrought(shipment) ? [] : versions).flatMap(({ rule, file }) => {
    const text = shipment.read(file);
    const [, has = ''] = groupsOf(rule.image, base);
    const wanted = wishesIn(text, rule).find(({ version }) => isBelow(has, version));
    const facts = { file, tool: rule.tool, wanted: wanted?.version, base, has, place, command };
    return wanted ? say('tool-version-wrong', facts, { at: { file, line: lineWith(text, wanted.said) } }) : [];
  });
};

const wishesIn = (text: string, { wants }: ToolRule) =>
  wants.flatMap(({ sign, version }) => {
    const [said, inText = ''] = groupsOf(new RegExp(sign, 'm'), text);
    return said === undefined ? [] : [{ said, version: version ?? inText }];
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
