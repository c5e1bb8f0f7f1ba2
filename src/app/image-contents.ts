import { posix } from 'node:path';
import { closestName } from '../kernel/closest-name.ts';
import { groupsOf } from '../kernel/groups.ts';
import { type ImageState, isBelowOrSame, type OtherPlace, type RunCommand } from './image-stage.ts';

/** Images of systems and languages: they bring no files that an app names by a path. */
const plainImage =
  /^(?:(?:docker\.io|public\.ecr\.aws\/docker)\/)?(?:library\/)?(?:debian|ubuntu|python|alpine|fedora|node|golang|rust|php|ruby|eclipse-temurin|scratch|busybox|nvidia\/cuda|denoland\/deno|oven\/bun|maven|gradle|amazoncorretto|mambaorg\/micromamba|continuumio\/miniconda3)(?::|@|$)|^gcr\.io\/distroless\/|^ghcr\.io\/astral-sh\/uv:\S*(?:python|debian|alpine|bookworm)/;

export const isPlainImage = (base: string): boolean => plainImage.test(base);

/** Images of Docker Hub that have no owner in their name. */
const officialImages =
  'adminer almalinux alpine amazoncorretto amazonlinux arangodb archlinux buildpack-deps busybox caddy cassandra centos clojure composer consul couchdb debian docker drupal eclipse-temurin elasticsearch elixir erlang fedora flink gcc ghost golang gradle groovy haproxy haskell httpd influxdb jetty joomla jruby julia kibana kong logstash mageia mariadb maven memcached mongo mongo-express mono mysql nats neo4j nextcloud nginx node odoo openjdk oraclelinux percona perl photon php postgres pypy python r-base rabbitmq rakudo-star redis redmine registry rockylinux ruby rust sapmachine scratch solr spark storm swift swipl telegraf tomcat tomee traefik ubuntu varnish vault wordpress zookeeper'.split(
    ' ',
  );

/** Words of their tags. */
const tagWords = 'alpine bionic bookworm bullseye buster focal jammy latest noble slim stable stretch trixie'.split(
  ' ',
);

/** A tag with the words that it misspells as they are written. */
const tagLike = (tag: string) =>
  tag.replace(/(?<=[:-])[a-z]{3,}/g, (word) =>
    tagWords.includes(word) ? word : (closestName(word, tagWords) ?? word),
  );

/** The whole name of an image, of which one that is not known is a misspelling. */
export function imageLike(base: string): string | undefined {
  const [, before = '', name = '', tag = '', digest = ''] = groupsOf(
    /^((?:docker\.io\/)?(?:library\/)?)([a-z][\w-]+)(:[^@]*)?(@.*)?$/i,
    base,
  );
  const official = officialImages.includes(name) ? name : closestName(name, officialImages);
  const meant = official && `${before}${official}${tagLike(tag)}${digest}`;
  return meant === base ? undefined : meant;
}

/** Users of systems, and of images that bring one of their own. */
const knownUsers: readonly (readonly [image: RegExp, users: RegExp])[] = [
  [
    /./,
    /^(?:root|\d+|.*\$.*|_apt|adm|at|backup|bin|cron|cyrus|daemon|dbus|ftp|games|gnats|guest|halt|irc|list|lp|mail|man|messagebus|news|nobody|ntp|operator|postmaster|proxy|shutdown|smmsp|squid|sshd|svn|sync|sys|systemd-\w+|uucp|uuidd|vpopmail|www-data|xfs)?$/,
  ],
  [/(?:^|\/)node(?::|@|$)/, /^node$/],
  [/micromamba/, /^mambauser$/],
  [/denoland\/deno/, /^deno$/],
  [/oven\/bun/, /^bun$/],
  [/gradle/, /^gradle$/],
  [/distroless/, /^nonroot$/],
  [/ubuntu/, /^ubuntu$/],
];

/** What may make any user: a script, one whose name is in a variable, and an account of a service. */
const mayMakeUser = (text: string, user: string) =>
  text.includes(user) ||
  /^(?:\S*\/)?(?:(?:ba|da|z)?sh|ansible\S*|\S+\.sh)(?: |$)|^(?:useradd|adduser|newusers)\b.*\$/.test(text);

/** Whether a plain image surely has no user of a name. */
export function lacksUser({ base, commands, files, written, others }: ImageState, user: string): boolean {
  const isKnown = knownUsers.some(([image, users]) => image.test(base) && users.test(user));
  const accounts = [...files.keys(), ...written.keys(), ...others.map(({ path }) => path)];
  const isMade =
    accounts.some((path) => isBelowOrSame('/etc/passwd', path)) ||
    commands.some(({ words }) => mayMakeUser(words.join(' '), user));
  return isPlainImage(base) && !isKnown && !isMade;
}

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
  /^\/(?:usr(?!\/src\/\w)|etc|root|home|var|lib\d*|s?bin|opt|tmp|go|venv)(?:\/|$)|node_modules|venv|vendor|\.cache|\.yarn|\.pnp/;

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
