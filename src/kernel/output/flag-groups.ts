/** The flags in their groups, if they have any: `flags: when`. */
export function groupFlags<Flag extends { group?: string }>(flags: readonly Flag[]) {
  return [...new Set(flags.map(({ group }) => group))].map((group) => ({
    title: group === undefined ? 'flags' : `flags: ${group}`,
    members: flags.filter((flag) => flag.group === group),
  }));
}
