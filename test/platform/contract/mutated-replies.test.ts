import { type GenericSchema, safeParse } from 'valibot';
import { describe, expect, test } from 'vitest';
import type { Endpoint } from '../../../src/platform/contract/endpoint.ts';
import { type EndpointName, endpoints } from '../../../src/platform/contract/index.ts';
import { unreadableItems } from '../../../src/platform/contract/lists.ts';
import { AppLogFrame, BuildLogFrame } from '../../../src/platform/contract/logs.ts';
import { exampleReply as reply } from '../../support/example-reply.ts';

/** Fields without which a command cannot go on. Everything else may be missing, null or of another kind. */
const required: Partial<Record<EndpointName, string[]>> = {
  authorizeDevice: [
    'deviceAuthResponsePayload',
    'deviceAuthResponsePayload.device_code',
    'deviceAuthResponsePayload.user_code',
    'deviceAuthResponsePayload.verification_uri',
    'deviceAuthResponsePayload.expires_in',
  ],
  requestToken: ['accessToken'],
  renewToken: ['access_token'],
  createApp: ['buildId'],
  createPartnerApp: ['buildId'],
  getBuild: ['status'],
  getRun: ['item'],
  prepareBaseImage: ['status'],
  startRun: ['runId'],
  inviteUser: ['success'],
  getServiceStatus: ['data'],
  getDownloadLink: ['url'],
  initializeUpload: ['upload_id', 'parts', ...[0, 1, 2].flatMap((i) => [`parts.${i}.part_number`, `parts.${i}.url`])],
};

/** Lists that are not read item by item; "" is the reply itself. */
const wholeLists: Partial<Record<EndpointName, string>> = {
  getProjectCost: 'coupons',
  listPaymentMethods: 'methods',
  getServiceStatus: 'data > relationships > sections > data',
  listVolumes: '',
  initializeUpload: 'parts',
};

/** Between the keys of a path: names of files have dots and slashes. */
const separator = ' > ';

const names = (Object.keys(endpoints) as EndpointName[]).filter((name) => typeof endpoints[name].reply !== 'string');
const fields = names.flatMap((name) => pathsOf(reply(name)).map((path): [EndpointName, string] => [name, path]));
const isRequired = ([name, path]: [EndpointName, string]) => required[name]?.includes(dotted(path)) === true;
/** Of a required token nothing but text is readable. */
const isSecret = (path: string) => /^access_?token$/i.test(path);

describe('a field of a reply', () => {
  test.each(fields.filter((field) => !isRequired(field)))('of %s may be null or absent: %s', (name, path) => {
    const how = 'read it by `optional…` or `…OrEmpty` of scalars.ts, an object by `v.nullish(objectOf({…}))`';
    expect(failure(name, changed(name, path, null)), how).toBeUndefined();
    expect(failure(name, changed(name, path, undefined)), how).toBeUndefined();
  });

  test.each(fields.filter(isRequired))('of %s is named if it is missing: %s', (name, path) => {
    expect(failure(name, changed(name, path, null))).toContain(dotted(path));
    expect(failure(name, changed(name, path, undefined))).toContain(dotted(path));
  });

  test.each(fields.filter(([name, path]) => isPlain(at(reply(name), path))))(
    'of %s may have another type: %s',
    (name, path) => {
      const value = at(reply(name), path);
      const others = ['text', 7, '7', true, 'true', '', false, { odd: true }, ['odd'], Number.MAX_VALUE];
      const readable = isSecret(path) ? [] : typeof value === 'string' ? [7, true] : [String(value)];
      for (const other of isRequired([name, path]) ? readable : [...others, String(value)]) {
        expect(failure(name, changed(name, path, other))).toBeUndefined();
      }
    },
  );

  test.each(names)('of %s that is unknown is kept at any depth', (name) => {
    const wire = reply(name);
    const objects = ['', ...pathsOf(wire)].filter((path) => isObject(at(wire, path)));
    for (const path of objects) {
      const more = { ...(at(wire, path) as object), unheardOf: { of: [1] } };
      expect(at(decoded(name, changed(name, path, more)), path)).toMatchObject({ unheardOf: { of: [1] } });
    }
  });
});

describe('a list', () => {
  const isListOfObjects = (value: unknown) => Array.isArray(value) && value.some(isObject);
  const all = names.flatMap((name) =>
    ['', ...pathsOf(reply(name))]
      .filter((path) => !/(^| )\d+( |$)/.test(path) && path !== wholeLists[name])
      .flatMap((path): [EndpointName, string][] => (isListOfObjects(at(reply(name), path)) ? [[name, path]] : [])),
  );

  test.each(all)('of %s at "%s" keeps its other items if one cannot be read', (name, path) => {
    const items = at(reply(name), path) as unknown[];
    const whole = at(decoded(name, reply(name)), path) as unknown[];
    for (const bad of [null, 'text', 7, [], true]) {
      for (let place = 0; place <= items.length; place++) {
        const wire = changed(name, path, items.toSpliced(place, 0, bad));
        const answer = decoded(name, wire);
        expect(at(answer, path)).toEqual(whole);
        expect(unreadableItems(answer)).toEqual([{ item: bad, field: undefined }]);
      }
    }
  });

  test.each(all)('of %s at "%s" may be null', (name, path) => {
    expect(at(decoded(name, changed(name, path, null)), path) ?? []).toEqual([]);
  });

  test.each<[EndpointName, unknown, string]>([
    ['listApps', [{ name: 'web' }], 'id'],
    ['listContainers', [{ containerState: 'RUNNING' }], 'containerId'],
    ['getBuildLogs', { logs: [{ createdAt: 'never' }] }, 'log'],
    ['listInvoices', { items: [{ amountDue: '1' }] }, 'id'],
    ['listFolder', [{ size_bytes: 1 }], 'name'],
  ])('of %s shows an item that lacks fields, and reports them', (name, wire, field) => {
    const answer = decoded(name, wire);
    expect(unreadableItems(answer)).toMatchObject([{ field }]);
    expect(JSON.stringify(answer)).toContain(Object.keys(Object(Object.values(Object(wire)).flat()[0]))[0]);
  });

  test('of empty log lines has no unreadable item', () => {
    expect(unreadableItems(decoded('getBuildLogs', { logs: [{ log: '' }] }))).toEqual([]);
  });
});

describe('a schema', () => {
  test.each(names)('of the reply to %s has only fields that accept any value', (name) => {
    expect(strictParts(endpoints[name].reply as GenericSchema)).toEqual([]);
  });

  test.each([
    ['an app', AppLogFrame],
    ['a build', BuildLogFrame],
  ])('of a line from the socket of %s accepts any value', (_, frame) => {
    expect(strictParts(frame)).toEqual([]);
  });
});

/** Paths of the schema whose values are restricted: somebody wrote `v.string()` where the server owns the value. */
function strictParts(schema: GenericSchema, path = ''): string[] {
  const { wrapped, entries, item, options } = schema as GenericSchema & {
    wrapped?: GenericSchema;
    entries?: Record<string, GenericSchema>;
    item?: GenericSchema;
    options?: GenericSchema[];
  };
  if (wrapped) return strictParts(wrapped, path);
  if (options) return options.flatMap((option) => strictParts(option, path));
  if (item) return strictParts(item, `${path}[]`);
  if (entries) return Object.entries(entries).flatMap(([name, inner]) => strictParts(inner, `${path}.${name}`));
  if (schema.type === 'custom') return [];
  const samples = ['', 'text', '7', 7, -1.5, true, {}, [], [null], { a: { b: 1 } }];
  return samples.every((sample) => safeParse(schema, sample).success) ? [] : [path];
}

function failure(name: EndpointName, wire: unknown): string | undefined {
  const [issue] = safeParse(endpoints[name].reply as GenericSchema, wire).issues ?? [];
  return issue && `${issue.path?.map(({ key }) => String(key)).join('.')}: ${issue.message}`;
}

function decoded(name: EndpointName, wire: unknown): unknown {
  const result = safeParse((endpoints[name] as Endpoint).reply as GenericSchema, wire);
  expect(result.issues).toBeUndefined();
  return result.output;
}

/** Every field of every object, and every item of every list, by its path: `data > time_series > 0 > p50`. */
function pathsOf(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const own = path ? path + separator + key : key;
    return Array.isArray(value) ? pathsOf(inner, own) : [own, ...pathsOf(inner, own)];
  });
}

function at(value: unknown, path: string): unknown {
  return keysOf(path).reduce((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], value);
}

/** The reply with another value at the path; undefined leaves the field out. */
function changed(name: EndpointName, path: string, value: unknown): unknown {
  const wire = reply(name);
  const keys = keysOf(path);
  const last = keys.pop();
  if (last === undefined) return value;
  const parent = at(wire, keys.join(separator)) as Record<string, unknown>;
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return wire;
}

function keysOf(path: string): string[] {
  return path === '' ? [] : path.split(separator);
}

function dotted(path: string): string {
  return keysOf(path).join('.');
}

function isPlain(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
