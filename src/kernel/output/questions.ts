/** Only these kinds of questions: the library's editor has tables of encodings that are larger than all of gantry. */
export { confirm, input, password, select } from '@inquirer/prompts';
