/** The name becomes a label of a host name. */
export const maxNameLength = 63;

/** For editors; `gantry check` says which part of it is wrong (rules/name.ts). */
export const namePattern = '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$';
