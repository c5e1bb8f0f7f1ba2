import type { Value } from '../../app/python/facts.ts';
import { groupsOf } from '../groups.ts';
import type { Link, Module, ModuleGraph } from './modules.ts';

/** What a value is, after the functions of the app that it comes from: `numpy.argmax()`, `/app/db.py:load()` of the app's own. */
export interface FoundValue {
  trail: string;
  items: Value['items'];
  module: Module;
  line: number;
}

const none = () => [];
const deepest = 16;
const mostSteps = 100;
/** Decorators that leave a function what it is. */
const isPlain =
  /^@(?:staticmethod|classmethod|functools\.(?:wraps|cache|lru_cache)\b|cache\b|lru_cache\b|torch\.(?:no_grad|inference_mode)\b|abstractmethod)/;

/** Follows values through the modules of an app. */
export class Flows {
  private left = 0;

  constructor(private readonly graph: ModuleGraph) {}

  /** What a value may be; nothing if it is not known, or if it goes through too many functions. */
  of(value: Value, module: Module): FoundValue[] {
    this.left = mostSteps;
    const found = this.follow(value, module, 0);
    return this.left > 0 ? found : [];
  }

  private follow(value: Value, module: Module, depth: number): FoundValue[] {
    this.left--;
    if (depth > deepest || this.left <= 0) return [];
    const { trail, items } = value;
    return trail === '|'
      ? items().flatMap((each) => this.follow(each, module, depth + 1))
      : this.along(value, module, depth);
  }

  /** A value, step by step. */
  private along({ trail, items, line }: Value, module: Module, depth: number): FoundValue[] {
    const [, head, rest = ''] = groupsOf(/^(\{\}|\[\]|,|[\w@]+)(.*)$/, trail);
    const steps = rest.match(/\.\w+|\(\w*\)|\[[^\]]*\]|!/g) ?? [];
    if (head === undefined) return [];
    const start = /^[\w@]/.test(head)
      ? this.start(head, module, depth + 1).map((each) =>
          /^\W/.test(each.trail) && !each.trail.startsWith('/') ? each : { ...each, line, module },
        )
      : [{ trail: head, items, module, line }];
    return steps.reduce((found, each) => found.flatMap((one) => this.step(one, each, depth + 1)), start);
  }

  /** The function of the app that a trail calls. */
  called(trail: string) {
    const [, path, name = ''] = groupsOf(/^(\/[^:]*):([\w.]+)\(\)$/, trail);
    return this.graph.module(path)?.facts.flow().functions.get(name);
  }

  private start(name: string, module: Module, depth: number): FoundValue[] {
    const { functions, values } = module.facts.flow();
    const said = (trail: string) => [{ trail, items: none, module, line: 0 }];
    const link = module.links.find(({ found }) => found.as === name);
    if (functions.has(name) || module.facts.names.get(name)?.made === 'class') return said(`${module.path}:${name}`);
    const value = values.get(name);
    if (value !== undefined && value.trail !== '') return this.follow(value, module, depth);
    return link ? this.imported(link, depth) : said(name);
  }

  private imported({ found, target, module }: Link, depth: number): FoundValue[] {
    const part = this.graph.partOf(target, found.name) ?? target;
    const owner = this.graph.module(part);
    const whole = found.name === undefined ? found.module : `${found.module}.${found.name}`;
    const trail = found.name === undefined && found.as === found.module.split('.')[0] ? found.as : whole;
    if (target === undefined) return [{ trail, items: none, module, line: 0 }];
    if (!owner || owner === module) return [];
    return part === target && found.name !== undefined
      ? this.start(found.name, owner, depth)
      : [{ trail: `${owner.path}:`, items: none, module: owner, line: 0 }];
  }

  private step(found: FoundValue, next: string, depth: number): FoundValue[] {
    const { trail, module } = found;
    if (/^(?:\[\]$|,$)/.test(trail) && next.startsWith('['))
      return this.within(found, next).flatMap((each) => this.follow(each, module, depth));
    if (trail.startsWith('/')) return depth > deepest ? [] : this.ofOwn(found, next, depth);
    return [{ ...found, trail: `${trail}${next}`.replace('.__enter__()', ''), items: none }];
  }

  /** What is in a list, or at a place of several values. */
  private within({ trail, items }: FoundValue, next: string): readonly Value[] {
    const [, number] = groupsOf(/^\[(\d+)\]$/, next);
    return trail === '[]' ? items() : items().filter((_, at) => String(at) === number);
  }

  private ofOwn(found: FoundValue, next: string, depth: number): FoundValue[] {
    const [, path = '', name = '', call] = groupsOf(/^(\/[^:]*):([\w.]*)(\(\))?$/, found.trail);
    const owner = this.graph.module(path);
    if (!owner) return [];
    if (next === '()' && call === undefined) return this.call(found, owner, name, depth);
    if (call !== undefined) return this.after(next, owner, name, depth);
    return next.startsWith('.') ? this.memberOf(owner, name, next.slice(1), depth) : [];
  }

  private call(found: FoundValue, owner: Module, name: string, depth: number): FoundValue[] {
    const known = owner.facts.flow().functions.get(name);
    const made = { ...found, trail: `${owner.path}:${name}()` };
    if (!known) return owner.facts.names.get(name)?.made === 'class' ? [made] : [];
    if (!known.decorators.every((each) => isPlain.test(each))) return [];
    return known.isAsync || known.isGenerator
      ? [made]
      : known.returns.flatMap((each) => this.follow(each, owner, depth));
  }

  /** What is done with a coroutine or an object of the app. */
  private after(next: string, owner: Module, name: string, depth: number): FoundValue[] {
    const known = owner.facts.flow().functions.get(name);
    if (known) return next === '!' ? known.returns.flatMap((each) => this.follow(each, owner, depth)) : [];
    return next.startsWith('.') ? this.memberOf(owner, name, next.slice(1), depth) : [];
  }

  /** A member of a module or a class. */
  private memberOf(owner: Module, name: string, member: string, depth: number): FoundValue[] {
    if (name === '') return this.start(member, owner, depth);
    const { functions, values } = owner.facts.flow();
    const whole = `${name}.${member}`;
    const value = values.get(whole);
    if (functions.has(whole)) return [{ trail: `${owner.path}:${whole}`, items: none, module: owner, line: 0 }];
    return value ? this.follow(value, owner, depth) : [];
  }
}
