import { posix } from 'node:path';
import { type ImageState, isBelowOrSame, type OtherPlace, type RunCommand } from './image-stage.ts';

/** Images of systems and languages: they bring no files that an app names by a path. */
const plainImage =
  /^(?:(?:docker\.io|public\.ecr\.aws\/docker)\/)?(?:library\/)?(?:debian|ubuntu|python|alpine|fedora|node|golang|rust|php|ruby|eclipse-temurin|scratch|busybox|nvidia\/cuda|denoland\/deno|oven\/bun|maven|gradle|amazoncorretto|mambaorg\/micromamba|continuumio\/miniconda3)(?::|@|$)|^gcr\.io\/distroless\/|^ghcr\.io\/astral-sh\/uv:\S*(?:python|debian|alpine|bookworm)/;

export const isPlainImage = (base: string): boolean => plainImage.test(base);

/** What installs programs and packages, or only changes what is there: no file of the app comes from it. */
const makesNoFiles =
  /^(?:apt|apt-get|apk|yum|dnf|microdnf|pip[\d.]*|pipx|conda|mamba|micromamba|chmod|chown|mkdir|rm|useradd|adduser|groupadd|addgroup|usermod|export|set|cd|test|true|ldconfig|locale-gen|update-ca-certificates|which|sed|playwright)$|^(?:npm|yarn|pnpm|bun) (?:install|i|ci)\b|^(?:poetry|bundle|composer) install|^poetry config|^uv (?:sync|pip|venv)|^python[\d.]* -m (?:venv|pip)/;

/** What a command makes, as far as it is known: undefined if it may make any file. */
export type Makes = (step: RunCommand) => ((path: string) => boolean) | undefined;

/** Whether a command may have made a path. The image does not keep what a cache has. */
function mayMake(step: RunCommand, path: string, makes: Makes): boolean {
  const { words, caches } = step;
  const isPlain = makesNoFiles.test(words[0] ?? '') || makesNoFiles.test(words.join(' '));
  return (makes(step)?.(path) ?? !isPlain) && !caches.some((each) => isBelowOrSame(path, each));
}

const ofPackages =
  /^\/(?:usr|etc|root|home|var|lib\d*|s?bin|opt|tmp|go|venv)(?:\/|$)|node_modules|venv|vendor|\.cache|\.yarn|\.pnp/;

/** Whether what installs something may have put it there: the folder is one of packages, or a command names it. */
export const mayInstall = ({ commands }: ImageState, path: string): boolean =>
  ofPackages.test(path) ||
  commands
    .filter(({ words }) => !/^(?:npm|pnpm|yarn|bun|npx)$/.test(words[0] ?? ''))
    .some(({ words, cwd }) => words.some((word) => `${word} ${posix.resolve(cwd, word)}`.includes(path)));

/** Surely: a plain image, where nothing is copied there and no command ran that could have made it. */
export function lacks({ base, workdir, files, others, commands }: ImageState, path: string, makes: Makes): boolean {
  const full = posix.resolve(workdir, path);
  const isThere = [...files.keys()].some((each) => isBelowOrSame(each, full));
  if (!isPlainImage(base) || /[$*?]/.test(path) || isThere) return false;
  return !others.some((each) => mayBring(each, full, makes)) && !commands.some((each) => mayMake(each, full, makes));
}

/** Whether a place that has what is not from the app may have a path. */
function mayBring({ path: place, from }: OtherPlace, path: string, makes: Makes): boolean {
  if (!from || !isBelowOrSame(path, place)) return isBelowOrSame(path, place);
  const there = posix.join(from.path, posix.relative(place, path));
  return mayInstall(from.stage, there) || !lacks(from.stage, there, makes);
}
