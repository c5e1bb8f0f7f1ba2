import { defineCommand } from '../command.ts';
import { document, text } from '../result-schema.ts';
import skill from './skill.md?raw';

export default defineCommand({
  run: async () => ({ text: `${frontMatter}\n${skill.trimEnd()}` }),
  view: (value) => () => value.text,
  verbatim: () => true,
  json: document({ text: text('Markdown with the front matter of an agent skill') }),
  effect: 'reads',
  local: true,
  exits: [],
  details: [
    'Store it where your agent reads skills, for example .claude/skills/gantry/SKILL.md. gantry init --agents adds a short version to an app, as AGENTS.md.',
  ],
  examples: ['skill', 'skill > .claude/skills/gantry/SKILL.md'],
});

/** What agents read to decide whether they need the rest. */
const frontMatter = `---
name: gantry
description: Deploy, call, inspect and fix apps on the hosting platform with the gantry command line.
---
`;
