import {
  anything,
  boolean,
  choice,
  integer,
  list,
  nullable,
  object,
  optional,
  record,
  text,
} from '../result-schema.ts';

export const flagShape = object({
  flags: text('as typed, with the name of its value'),
  description: text('what it does'),
  type: choice(['boolean', 'value', 'list'], 'whether it takes no value, one, or may be repeated'),
  value: optional(choice(['number', 'duration', 'size', 'time'], 'what kind of value it takes; absent: any text')),
  valueRequired: boolean('whether its value may not be omitted'),
  group: optional(text('what it is about, if the flags of the command are in groups')),
  seldom: optional(boolean('true if few need it: --help leaves it out')),
  requires: optional(list(text('flag'), 'it has no effect without one of these, and is refused')),
  choices: optional(list(text('value'), 'the values that it accepts, if they are known')),
  default: optional(anything('its value if it is omitted')),
});

const argumentShape = object({
  name: text('name'),
  description: text('what it is'),
  required: boolean('whether it may not be omitted'),
  variadic: boolean('whether there may be several'),
  choices: optional(list(text('value'), 'the values that it accepts, if they are known')),
});

export const exitCodeShape = object({
  name: text('name, the code of an error in JSON'),
  code: integer('number'),
  when: text('when a command exits with it'),
});

/** The fields of a command as data. */
export const commandFields = {
  command: text('as typed, without gantry'),
  category: text('section of the help'),
  summary: text('one line'),
  details: list(text('paragraph'), 'paragraphs'),
  usage: text('how it is called'),
  arguments: list(argumentShape, 'arguments'),
  flags: list(flagShape, 'its own flags'),
  effect: choice(['reads', 'changes', 'destroys'], 'what it does to what exists, locally or on the platform'),
  unattended: boolean('whether it ends by itself and asks nothing that a flag cannot answer'),
  output: nullable(choice(['document', 'list', 'stream'], 'what --json prints; null if the output is raw bytes')),
  json: record(object({ type: text('type'), description: text('meaning') }), 'the fields of the output, by name'),
  exitCodes: list(exitCodeShape, 'the exit codes that it may end with'),
  examples: list(text('command line'), 'command lines, without gantry'),
  followedBy: list(
    object({ command: text('command line, with <names> for values'), when: text('what it is for') }),
    'the commands that usually follow',
  ),
};
