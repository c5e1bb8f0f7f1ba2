// The types of gantry/testing, made from its sources.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isolatedDeclarationSync } from 'rolldown/experimental';

const source = 'src/testing';

/**
 * @param {string} folder
 */
export function writeTestingTypes(folder) {
  mkdirSync(`${folder}/testing`, { recursive: true });
  for (const file of readdirSync(source)) {
    const { code, errors } = isolatedDeclarationSync(file, readFileSync(`${source}/${file}`, 'utf8'));
    if (errors.length > 0) throw new Error(`${file}: ${errors.map(({ message }) => message).join(', ')}`);
    writeFileSync(
      `${folder}/testing/${file.replace(/\.ts$/, '.d.ts')}`,
      code.replaceAll(/(from "\.[^"]*)\.ts"/g, '$1.js"'),
    );
  }
}
