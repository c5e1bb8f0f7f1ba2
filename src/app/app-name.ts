/** The longest label of a host name. */
export const maxNameLength = 63;

/** For editors; `gantry check` says what it doubts (rules/name.ts). */
export const namePattern = '^[A-Za-z0-9_.-]+$';

export const nameCharacters = new RegExp(namePattern);
