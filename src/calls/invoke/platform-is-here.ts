import type { Context } from '../../platform/context.ts';
import { isLoopbackHost } from '../../platform/contract/address.ts';

/** Whether the platform is on this machine: it reaches what listens here. */
export function platformIsHere({ settings }: Pick<Context, 'settings'>): boolean {
  return isLoopbackHost(new URL(settings.addresses.management.value));
}
