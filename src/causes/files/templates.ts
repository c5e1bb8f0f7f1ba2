import { posix } from 'node:path';
import { type PythonCall, unknown } from '../../app/python/facts.ts';
import { fits } from '../groups.ts';
import type { ModuleGraph } from './modules.ts';
import type { SeenCause } from './seen-cause.ts';
import type { Shipment } from './shipment.ts';

type Said = SeenCause | undefined;

const lastOf = ({ name }: PythonCall) => name.slice(name.lastIndexOf('.') + 1);
const naming = /^(?:get_template|render_template|TemplateResponse|render|render_to_string)$/;
const isTemplate = /\.(?:html?|txt|xml|md|j2|jinja2?|tmpl|tpl)$/;
const ofTemplates = /(?:^|\/)templates?\/|\.(?:j2|jinja2?)$/;

interface Named {
  name: string;
  file: string;
  line: number;
  isOfFlask: boolean;
}

/** Templates of Jinja and Django: names that are not there, and blocks that are not closed. */
export function* lookAtTemplates(shipment: Shipment, graph: ModuleGraph): Generator<SeenCause> {
  const calls = [...graph.modules.values()].flatMap(({ file, facts }) => facts.calls.map((call) => ({ file, call })));
  const isDjango = usesDjango(shipment, graph);
  const named = calls.flatMap(({ file, call }) => namedBy(file, call));
  const read = isDjango || named.length > 0 ? readTemplates(shipment, calls) : [];
  for (const { file, text } of read) {
    yield* unclosed(file, text, isDjango);
    if (isDjango) yield* unloaded(file, text);
  }
  const hasOwnFolder = calls.some(({ call }) => 'template_folder' in call.keywords || lastOf(call).endsWith('Loader'));
  for (const each of [...named, ...read.flatMap(includedBy)]) yield* missing(each, hasOwnFolder, shipment);
}

function* missing({ name, isOfFlask, ...at }: Named, hasOwnFolder: boolean, shipment: Shipment): Generator<SeenCause> {
  const found = unsent(name, shipment) ?? otherTemplate(name, shipment.paths, isOfFlask && !hasOwnFolder);
  if (found) yield { at, ...found };
}

/** Templates of other programs may look the same, and an app may have signs of its own. */
const readTemplates = ({ paths, read }: Shipment, calls: readonly { call: PythonCall }[]) =>
  (calls.some(({ call }) => 'block_start_string' in call.keywords) ? [] : paths)
    .filter((path) => ofTemplates.test(path) && isTemplate.test(path))
    .map((file) => ({ file, text: blanked(read(file), unread) }));

const usesDjango = ({ sent }: Shipment, { modules }: ModuleGraph) =>
  sent.has('manage.py') ||
  [...modules.values()].some(({ facts }) => facts.imports.some(({ module }) => /^django\b/.test(module)));

function namedBy(file: string, call: PythonCall): Named[] {
  const name = naming.test(lastOf(call)) ? call.arguments.find((each) => fits(isTemplate, each)) : undefined;
  const isOfFlask = call.name === 'flask.render_template';
  return name === undefined || name.includes(unknown) ? [] : [{ name, file, line: call.line, isOfFlask }];
}

const lineAt = (text: string, at: number) => text.slice(0, at).split('\n').length;

const includedBy = ({ file, text }: { file: string; text: string }): Named[] =>
  [...text.matchAll(/\{%-?\s*(?:extends|include)\s+["']([^"'{}\n]+)["']\s*(?!.*ignore missing)/g)].map(
    ({ index, 1: name = '' }) => ({ name, file, line: lineAt(text, index), isOfFlask: false }),
  );

/** The lines stay. */
const blanked = (text: string, parts: RegExp) => text.replace(parts, (part) => part.replace(/[^\n]/g, ' '));

const unread = /\{#[\s\S]*?#\}|\{%-?\s*(comment|raw|verbatim)\b[^%]*%\}[\s\S]*?\{%-?\s*end\1\s*-?%\}/g;

const paired = /^(?:if|for|block|with|filter|autoescape|macro|call|spaceless|ifchanged|blocktrans|blocktranslate)$/;

const tags = /\{%[-+]?\s*(\w+)(?:"[^"]*"|'[^']*'|[^%]|%(?!\}))*%\}/g;
const values = /\{\{(?:"[^"]*"|'[^']*'|(?!\}\}|\{\{|\{%)[^"'])*\}\}/g;

/** A block that is not closed, or closed by the end of another. */
function unclosed(file: string, text: string, isDjango: boolean): SeenCause[] {
  const open: { name: string; at: number }[] = [];
  for (const { index: at, 1: name = '' } of text.matchAll(tags)) {
    const ended = name.replace(/^end/, '');
    if (paired.test(name)) open.push({ name, at });
    else if (paired.test(ended)) {
      const last = open.pop();
      if (last?.name !== ended)
        return [
          invalid(file, lineAt(text, last?.at ?? at), `${name} ends ${last ? `a block of ${last.name}` : 'nothing'}`),
        ];
    }
  }
  const value = isDjango ? -1 : blanked(text, values).indexOf('{{');
  return [
    ...open
      .slice(0, 1)
      .map(({ name, at }) => invalid(file, lineAt(text, at), `the block of ${name} has no end${name}`)),
    ...(value < 0 ? [] : [invalid(file, lineAt(text, value), 'a value {{ is not closed')]),
  ];
}

const invalid = (file: string, line: number, problem: string): SeenCause => ({
  cause: 'file-invalid',
  captured: { path: file, problem },
  at: { file, line },
  title: `${file} is not a valid template: ${problem}`,
});

function* unloaded(file: string, text: string): Generator<SeenCause> {
  const used = text.search(/\{%\s*static\s/);
  if (used >= 0 && !/\{%\s*load\s[^%]*\bstatic/.test(text))
    yield invalid(file, lineAt(text, used), 'it has static, and does not load it');
}

/** A template that is in a folder of templates, and not sent. */
function unsent(name: string, shipment: Shipment): Said {
  if (shipment.paths.some(isFor(name))) return undefined;
  const path = shipment.unsent.find((each) => each.endsWith(`templates/${name}`));
  if (path === undefined) return undefined;
  const { title, fix, setting } = shipment.reasonOf(path);
  return { cause: 'file-excluded', captured: { path }, at: { setting }, title, fix };
}

const isFor = (name: string) => (path: string) => path === name || path.endsWith(`/${name}`);

/** Of a template that is not there, one beside it; Flask looks in `templates` only. Packages have folders of their own. */
function otherTemplate(name: string, paths: readonly string[], isOfFlask: boolean): Said {
  const there = paths.filter(isFor(name));
  if (there.length > 0 && !(isOfFlask && there.every((path) => !/(?:^|\/)templates\//.test(path)))) return undefined;
  const other = there[0] ?? nearTemplate(name, paths);
  if (other === undefined) return undefined;
  const fix = there.length > 0 ? 'move it into a folder templates' : `name ${posix.basename(other)}, or rename it`;
  return { ...notFound(name), why: `the app has ${other}`, fix };
}

function nearTemplate(name: string, paths: readonly string[]): string | undefined {
  const { name: stem, ext, dir } = posix.parse(name);
  const near = paths.filter(
    (path) => ofTemplates.test(path) && (dir === '' || posix.dirname(path).endsWith(`/${dir}`)),
  );
  return near.find((path) => posix.parse(path).name === stem) ?? near.find((path) => posix.extname(path) === ext);
}

const notFound = (path: string): SeenCause => ({ cause: 'file-not-found', captured: { path } });
