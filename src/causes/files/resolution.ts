import type { Requirements } from '../../app/resolver.ts';
import { once } from '../../kernel/once.ts';
import { cutText } from '../../kernel/output/format.ts';
import { rowsOf } from '../rule.ts';
import type { Listed, Packages } from './packages.ts';
import type { SeenCause } from './seen-cause.ts';
import type { Shipment } from './shipment.ts';

/** What pip installs in one go, for an app or in a plain image of Python; empty if that needs another index. */
export function installedAtOnce(shipment: Shipment, packages: Packages): Listed[] {
  const variables = [...shipment.stage().environment.keys()];
  const hasIndex = packages.indexes().length > 0 || variables.some((name) => /INDEX|LINKS/.test(name));
  if (hasIndex || (shipment.isDocker && packages.isOtherImage)) return [];
  const listed = packages.listed.filter(({ at, isConditional, isElsewhere: isOther, wanted }) => {
    // What a project lists may be for its developers.
    const isOfPip = at?.setting?.startsWith('dependencies.pip.') ?? at?.file?.endsWith('.toml') === false;
    return isOfPip && !isOther && !isConditional && !/@|:\/\//.test(wanted);
  });
  // Of several commands of an image, a later one may replace what an earlier one has installed.
  const groups = shipment.isDocker ? [...new Set(listed.map(({ group }) => group))] : [0];
  return groups.length === 1 ? listed.filter(({ group }) => group === groups[0]) : [];
}

export function resolverRequirements(listed: readonly Listed[], python: string | undefined): Requirements | undefined {
  const lines = listed.map(({ name, extras, wanted }) => `${name}${extras.length > 0 ? `[${extras}]` : ''}${wanted}`);
  return python === undefined || lines.length === 0 ? undefined : { lines, python };
}

/** What uv says of a package, and what that means. The last one is meant if no other is. */
const kinds = once(
  () => ofRows`
package-not-found | (?<package>[\w.-]+) was not found in the package registry
python-version-unsupported | does not satisfy Python\S+ and (?<wanted>(?<package>[\w.-]+)\S*) depends? on (?<needed>Python\S+\d)
package-version-not-found | ^Because there is no version of (?<package>[\w.-]+)(?:\[[^\]]*\])?(?<wanted>\S+)
package-version-not-found | ^Because only (?<package>[\w.-]+)\S+ is available and you require \k<package>(?<wanted>\S+?),? we can
dependency-conflict | ^Because
`,
);

/** What is said where there are no wheels: the platform may build the package, or fail to. */
const ofWheels = once(
  () => ofRows`
python-version-unsupported | ^Because (?<wanted>(?<package>[\w.-]+)\S*) has no wheels with a matching Python .{1,80} and you require [^,]+, we can conclude that your requirements are
`,
);

const ofRows = (table: TemplateStringsArray) =>
  rowsOf(table).map((row) => {
    const [cause = '', said = ''] = row.split(' | ');
    return { cause, said: new RegExp(said) };
  });

/** Undefined if it is about what uv could not read. */
export function whyUnresolved<T extends Listed>(said: string, listed: readonly T[]): [SeenCause, T] | undefined {
  if (/\b(?:offline|network|metadata|the cache)\b/i.test(said)) return undefined;
  const reason = (/Because[\s\S]*?(?=\n\s*\n|$(?!\n))/.exec(said)?.[0] ?? '').replace(/\s+/g, ' ').trim();
  const isOfWheels = /\bwheels?\b/.test(reason);
  const { cause, said: sign } = (isOfWheels ? ofWheels : kinds)().find((each) => each.said.test(reason)) ?? {};
  const named = [...reason.matchAll(/you require ([\w.-]+)/g)].map(([, name]) => name);
  const asked = listed.findLast(({ name }) => name === named.at(-1)) ?? listed.find(({ name }) => named.includes(name));
  if (!asked || !cause) return undefined;
  const { package: name = asked.name, wanted = '', needed } = sign?.exec(reason)?.groups ?? {};
  const why = needed === undefined ? shortened(reason) : `${wanted} needs ${needed}`;
  return [{ cause, isCertain: !isOfWheels, captured: { package: name, wanted }, at: asked.at, why }, asked];
}

/** `a==1 depends on b<2 and the app asks for a==1; the app asks for b==3`. */
function shortened(reason: string): string {
  const plain = reason
    .replace(/, we can conclude that .*?(?:\. And because |\.?$)/g, '; ')
    .replace(/^Because |; $/g, '')
    .replaceAll('you require', 'the app asks for');
  return `uv: ${cutText(plain, 300)}`;
}
