import { existsSync, readFileSync } from 'node:fs';
import { type GenericSchema, safeParse } from 'valibot';
import type { Endpoint } from '../../src/platform/contract/endpoint.ts';
import { type EndpointName, endpoints } from '../../src/platform/contract/index.ts';

/** A reply to the endpoint: that of `fixtures/replies`, or else one that is made from the contract. */
export function exampleReply(name: EndpointName): unknown {
  const file = `fixtures/replies/${name}.json`;
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : replyOfContract(name);
}

/** Has each field that the contract knows, and one item in each list. */
export function replyOfContract(name: EndpointName): unknown {
  const { reply }: Endpoint = endpoints[name];
  return typeof reply === 'string' ? 'OK' : exampleOf(reply, name);
}

/** What the schemas of a contract have inside. */
type Inside = GenericSchema & {
  wrapped?: GenericSchema;
  entries?: Record<string, GenericSchema>;
  item?: GenericSchema;
  options?: GenericSchema[];
};

function exampleOf(schema: GenericSchema, name: string): unknown {
  const { wrapped, entries, item, options: [option] = [] } = schema as Inside;
  const inner = wrapped ?? option;
  if (inner) return exampleOf(inner, name);
  if (item) return [exampleOf(item, name)];
  if (!entries) return scalarOf(schema, name);
  return Object.fromEntries(Object.entries(entries).map(([key, field]) => [key, exampleOf(field, key)]));
}

/** A value that is read as it is. A time is known by what becomes of a number of seconds. */
function scalarOf(schema: GenericSchema, name: string): unknown {
  const read = (value: unknown) => {
    const { success, output } = safeParse(schema, value);
    return success ? output : undefined;
  };
  const time = '2026-11-02T08:15:30.000Z';
  if (read(Date.parse(time) / 1000) === time) return time;
  const values = [name, 7, true, [name], [7], { [name]: name }];
  return values.find((value) => JSON.stringify(read(value)) === JSON.stringify(value));
}
