import { closestName } from '../../kernel/closest-name.ts';
import { matchesIn } from '../../kernel/groups.ts';
import { once } from '../../kernel/once.ts';
import { normalizeName } from '../import-names.ts';
import { rowsOf } from '../rule.ts';
import type { LookedApp } from './looked-app.ts';
import { say } from './said.ts';
import type { SeenCause } from './seen-cause.ts';

/** The files that name the parts of a project, how they do, and how they and commands ask for one of the parts. */
const kinds = once(() =>
  rowsOf`
package\.json | "name"\s*:\s*"([^"]+)" | "([^"]+)":\s*"workspace: | ^(?:npx )?(?:pnpm|turbo)\b.* (?:--filter|-F|--scope)[= ]([@\w/-]+)(?:\.{3})?(?= |$) | ^npm\b.* (?:-w|--workspace)[= ]([@\w/-]+) | ^yarn workspace ([@\w/-]+) | ^(?:npx )?turbo prune ([@\w/-]+)
Cargo\.toml | ^name\s*=\s*"([\w-]+)" | ^cargo (?:build|run)\b.* (?:-p|--package|--bin)[= ]([\w-]+)
pyproject\.toml | ^name\s*=\s*["']([\w.-]+)["'] | ^([\w.-]+)\s*=\s*\{\s*workspace\s*=\s*true | ^uv sync\b.* --package[= ]([\w.-]+)
environment[\w.-]*\.ya?ml | ^name:\s*([\w.-]+) | ^(?:micromamba|conda|mamba) run\b.* (?:-n|--name)[= ]([\w.-]+) | ^(?:micromamba|conda|mamba) activate ([\w.-]+)
`.map((row) => {
    const [files = '', ...patterns] = row.split(' | ');
    const [name = /$^/g, ...asks] = patterns.map((each) => new RegExp(each, 'gm'));
    return { files: new RegExp(`^(?!.*node_modules/)(?:.*/)?${files}$`), name, asks };
  }),
);

/** Names that files and commands give by themselves, and that of the first environment of conda. */
const given =
  /\bsrc\/bin\/([\w-]+)(?:\/main)?\.rs$|^\S*(?:conda|mamba) (?:env )?create\b.* (?:-n|--name)[= ](\S+)|^(base)$/gm;

const namesIn = (text: string, pattern: RegExp) =>
  matchesIn(text, pattern).flatMap(({ match }) => match.slice(1).filter(Boolean));

/** Parts of the project that commands or its files ask for by a name that none of them has. */
export function* lookAtMembers({ shipment }: LookedApp): Generator<SeenCause> {
  // What only runs another command may ask, too.
  const whole = { words: shipment.stage().command?.words ?? [], at: shipment.startedAt };
  const texts = [...shipment.buildCommands(), ...shipment.started(), whole].map(({ words, at }) => ({
    text: words.join(' '),
    at,
  }));
  const more = namesIn([...texts.map(({ text }) => text), ...shipment.paths, 'base'].join('\n'), given);
  for (const { files, name, asks } of kinds()) {
    const manifests = shipment.paths.filter((path) => files.test(path));
    const lines = manifests.flatMap((file) =>
      shipment
        .read(file)
        .split('\n')
        .map((text, at) => ({ text, at: { file, line: at + 1 } })),
    );
    const names = lines.flatMap(({ text }) => namesIn(text, name));
    const taken = [...names, ...more, ...manifests.map((each) => each.replace(/\/?[^/]+$/, ''))].map(normalizeName);
    for (const { text, at } of names.length > 0 ? [...texts, ...lines] : [])
      for (const asked of asks.flatMap((each) => namesIn(text, each)))
        if (!taken.some((each) => `/${each}`.endsWith(`/${normalizeName(asked)}`)))
          yield say(
            'command-failed member',
            { name: asked, meant: closestName(asked, names), names: names.slice(0, 5).join(', ') },
            { at },
          );
  }
}
