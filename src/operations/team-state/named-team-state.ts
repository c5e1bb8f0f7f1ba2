import type { Settings } from '../../config/settings.ts';
import type { Context } from '../../context.ts';
import { TeamState } from './team-state.ts';

/** The team state that the settings name, the same for all of a command. Undefined if there is none. */
export function teamStateOf(context: Context): TeamState | undefined {
  const { settings } = context;
  const place = settings.teamState.value;
  if (place === undefined || place === 'off') return undefined;
  const state = states.get(settings) ?? new TeamState(context, place);
  states.set(settings, state);
  return state;
}

const states = new WeakMap<Settings, TeamState>();
