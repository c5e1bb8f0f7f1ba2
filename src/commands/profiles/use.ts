import { defineCommand } from '../../command.ts';
import { switchProfile } from '../../operations/account/index.ts';

export default defineCommand({
  configure: (command) => command.argument('<profile>', 'its name, as profiles list shows it'),
  run: (context, name) => switchProfile(context, name),
  view:
    ({ name }) =>
    () =>
      `the profile is ${name} from now on`,
  json: { name: 'name of the profile' },
  examples: ['profiles use staging', 'profiles use default'],
});
