/** Markup that is safe to send: made by `html`, or a constant. */
export class Html {
  constructor(readonly text: string) {}
}

type HtmlValue = Html | string | number | null | undefined | false | readonly HtmlValue[];

/** A template whose values are escaped, unless they are markup themselves. Lists are joined; nothing, null and false are empty. */
export function html(parts: TemplateStringsArray, ...values: HtmlValue[]): Html {
  return new Html(String.raw({ raw: parts }, ...values.map(markup)));
}

function markup(value: HtmlValue): string {
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.map(markup).join('');
  return value === null || value === undefined || value === false ? '' : escapeText(String(value));
}

/** Names, logs and messages of apps are written by anybody. */
function escapeText(text: string): string {
  return text
    .replace(terminalSequence, '')
    .replace(controlCharacter, '\ufffd')
    .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Colors, cursor movements and titles. */
const terminalSequence = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?)/g;
/** Also those that reverse text. */
const controlCharacter = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu;
