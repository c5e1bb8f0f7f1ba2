/** What other scaling settings would have meant: the calls of the past, replayed by the emulator's rules for replicas. */
export {
  type Advice,
  type AdviceError,
  adviceVerdicts,
  type Outcome,
  type ServiceLevel,
  type TunedOption,
} from './advice.ts';
export { tuneApp } from './tune-app.ts';
export { writeAdvice } from './write-scaling.ts';
