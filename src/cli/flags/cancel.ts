import { gantryCommand } from '../../kernel/command-line.ts';
import { shortBuild } from '../../kernel/output/format.ts';
import { wrapped } from '../../kernel/output/table.ts';
import type { Context } from '../../platform/context.ts';
import { refuseLatest } from '../../platform/ids.ts';
import { cancelRemoteWork, type RemoteWork } from '../../platform/waiting/index.ts';
import { defineCommand } from '../command.ts';
import { boolean, document, nullable, text } from '../result-schema.ts';
import { canceledArguments } from './app.ts';

export function cancelCommand(
  noun: 'build' | 'run',
  resolve: (context: Context, app: string, word: string) => Promise<string>,
  remote: (project: string, app: string, id: string) => RemoteWork,
) {
  const named = <Value>(value: Value) => ({ [noun]: value }) as { build: Value };
  const nameOf = (id: string) => `${noun} ${noun === 'build' ? shortBuild(id) : id}`;
  return defineCommand({
    configure: (command) => canceledArguments(command, noun),
    run: async (context, app, word) => {
      refuseLatest(word, noun, gantryCommand`${noun}s list ${app}`);
      const id = await resolve(context, app, word);
      const confirm = async () => {
        await context.prompt.confirm(`Cancel ${nameOf(id)} of ${app}?`);
        const result = { app, ...named(id), status: null, changed: true, confirmed: false };
        context.willChange(`cancel ${nameOf(id)} of ${app}`, result);
      };
      const done = await cancelRemoteWork(context, remote(context.project, app, id), confirm);
      return { app, id, status: done.confirmed ? 'canceled' : null, ...done };
    },
    data: ({ id, ...rest }) => ({ ...named(id), ...rest }),
    view: ({ id, changed, confirmed }) => {
      const done = confirmed ? 'canceled' : 'asked to cancel';
      return wrapped(changed ? `${done} ${nameOf(id)}` : `nothing to change: ${nameOf(id)} is already canceled`);
    },
    effect: 'destroys',
    dryRun: true,
    exits: ['pending'],
    json: document({
      ...named(text(`${noun} id`)),
      app: text('app name or id, as given'),
      status: nullable(text('canceled'), 'the platform does not show it'),
      changed: boolean('false if it was already canceled'),
      confirmed: boolean('false if the platform accepted it and does not show the status'),
    }),
    examples: [`${noun}s cancel web ${noun === 'build' ? 'b-1234' : '3f2a91c0-…'} --yes`],
  });
}
