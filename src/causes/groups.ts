/** What a pattern matches in a text, and its groups; nothing if it does not match. */
export const groupsOf = (pattern: RegExp, text = ''): readonly string[] => pattern.exec(text) ?? [];

/** Whether a text, which may be missing, is as a pattern says. */
export const fits = (pattern: RegExp, text = ''): boolean => pattern.test(text);
