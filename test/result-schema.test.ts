import { expect, test } from 'vitest';
import { type Command, defineCommand } from '../src/cli/command.ts';
import * as schema from '../src/cli/result-schema.ts';

const { boolean, choice, document, integer, list, nullable, object, optional, passThrough, stream, text } = schema;

const common = { effect: 'reads', view: () => () => '' } as const;

test('a result that does not match its declaration is a type error', () => {
  const json = document({ app: text('name') });
  const commands: Command[] = [
    defineCommand({ ...common, run: () => ({ app: 'web' }), json }),
    defineCommand({ ...common, run: async () => ({ more: 1 }), data: () => ({ app: 'web' }), json }),
    // @ts-expect-error: a number
    defineCommand({ ...common, run: () => ({ app: 1 }), json }),
    // @ts-expect-error: missing
    defineCommand({ ...common, run: async () => ({ more: 1 }), json }),
    // @ts-expect-error: null
    defineCommand({ ...common, run: () => ({ app: null as string | null }), json }),
    // @ts-expect-error: what `data` returns counts
    defineCommand({ ...common, run: () => ({ app: 'a' }), data: () => ({}), json }),
    // @ts-expect-error: a list
    defineCommand({ ...common, run: () => [{ app: 'a' }], json }),
  ];
  expect(commands).toHaveLength(7);
});

test('a declaration is a JSON Schema', () => {
  const { schema } = document(
    { app: text('name'), kind: choice(['a', 'b'], 'kind'), end: nullable(text('time')), more: optional(integer('n')) },
    passThrough({ id: text('id') }),
  );
  expect(schema).toEqual({
    anyOf: [
      {
        type: 'object',
        properties: {
          app: { type: 'string', description: 'name' },
          kind: { type: 'string', enum: ['a', 'b'], description: 'kind' },
          end: { description: 'time', anyOf: [{ type: 'string' }, { type: 'null' }] },
          more: { type: 'integer', description: 'n' },
        },
        required: ['app', 'kind', 'end'],
        additionalProperties: false,
      },
      {
        type: 'object',
        properties: { id: { description: 'id', $comment: 'string' } },
        $comment: 'sent by the platform and passed through',
      },
    ],
  });
});

test('the fields of all variants can be selected; unknown ones only of platform objects', () => {
  const own = stream({ a: text('1') }, { a: boolean('2'), b: list(object({ c: text('c') }), 'bs') });
  expect(schema.fieldsOf(own)).toEqual({
    a: { type: 'string', description: '1' },
    b: { type: 'list of object', description: 'bs' },
  });
  expect(schema.isOpen(own)).toBe(false);
  expect(schema.isOpen(schema.documents(passThrough({ id: text('id') })))).toBe(true);
});
