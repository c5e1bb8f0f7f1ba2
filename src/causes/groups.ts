/** What a pattern matches in a text, and its groups; nothing if it does not match. */
export const groupsOf = (pattern: RegExp, text: string): readonly string[] => pattern.exec(text) ?? [];
