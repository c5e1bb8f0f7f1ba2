import { flagOf } from '../../app/shell.ts';

interface ProcessManager {
  program: RegExp;
  /** Where its file may be; of a folder with `*`, each file. */
  files: (words: readonly string[]) => readonly string[];
  /** The commands of the file as a script of a shell, each in its line. */
  script: (text: string, cwd: string) => string;
}

/** Programs that start the commands which a file lists. */
const processManagers: readonly ProcessManager[] = [
  {
    program: /^(?:honcho|foreman|overmind|hivemind)$/,
    files: (words) => [flagOf(words, '-f', '--procfile') ?? 'Procfile'],
    script: (text) => text.replace(/^[\w-]+:/gm, ''),
  },
  {
    program: /^(?:\/usr\/bin\/)?supervisord$/,
    files: (words) => {
      const named = flagOf(words, '-c', '--configuration');
      // What Debian has there includes a folder.
      const configFile = '/etc/supervisor/supervisord.conf';
      const paths = named === undefined ? ['supervisord.conf', '/etc/supervisord.conf', configFile] : [named];
      return paths.flatMap((path) => (path === configFile ? [path, '/etc/supervisor/conf.d/*'] : path));
    },
    script: (text, cwd) =>
      text.replace(/^\[[^[]*/gm, (section) => {
        const folder = /^directory\s*=\s*(\S+)/m.exec(section)?.[1] ?? cwd;
        return section.replace(/^(?!command\s*=).*$/gm, '').replace(/^command\s*=/gm, `cd ${folder}; `);
      }),
  },
];

export function processManager([program = '']: readonly string[]): ProcessManager | undefined {
  return processManagers.find((each) => each.program.test(program));
}
