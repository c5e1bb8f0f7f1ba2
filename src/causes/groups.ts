export { fits, groupsOf, lineAt, lineWith, matchesIn } from '../kernel/groups.ts';
