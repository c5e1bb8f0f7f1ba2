import fc from 'fast-check';
import { seed } from './extent.ts';

fc.configureGlobal({ seed });
