// Builds dist from src.
import { bundle } from './build/bundle.js';
import { writeTexts } from './build/texts.js';

await bundle('dist');
await writeTexts('dist');
