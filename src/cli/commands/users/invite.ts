import { InvalidArgumentError } from 'commander';
import { sendInvitation } from '../../../team/members.ts';
import { defineCommand } from '../../command.ts';
import { boolean, document, text } from '../../result-schema.ts';

export default defineCommand({
  configure: (command) =>
    command
      .argument('<email>', 'email address', emailAddress)
      .requiredOption('--role <role>', 'role in the project, such as member, billing or admin'),
  run: (context, email, { role }) => sendInvitation(context, email, role),
  view: ({ email, role }) => `invited ${email} as ${role}`,
  effect: 'changes',
  dryRun: true,
  json: document({ email: text('email address'), role: text('role in the project'), changed: boolean('true') }),
  examples: ['users invite ada@example.com --role member'],
});

function emailAddress(text: string): string {
  const [local = '', domain = '', more] = text.split('@');
  const isValid =
    more === undefined &&
    text.length <= 254 &&
    /^[^\s"<>(),:;\\[\]\p{Cc}]{1,64}$/u.test(local) &&
    /^([\p{L}\p{N}]([\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+[\p{L}\p{N}-]{2,}$/u.test(domain);
  if (!isValid) throw new InvalidArgumentError('Expected an email address such as ada@example.com.');
  return text;
}
