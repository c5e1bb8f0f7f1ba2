import { debianPackageOfProgram } from '../program-packages.ts';
import type { FailureRule } from '../rule.ts';

/** Programs and data that Python packages use, and do not bring along. */
export const programRules: readonly FailureRule[] = [
  {
    cause: 'command-not-found',
    rank: 4,
    signs: {
      'No such file or directory: ':
        /^FileNotFoundError: \[Errno 2\] No such file or directory: (?:PosixPath\()?'(?<command>[\w+-]{1,40})'/,
      'not found':
        /^(?:\w[\w.]{0,60}Error: )?(?<command>[Ff][Ff]mpeg|ffprobe|soffice|sox|dot) (?:was |is |executable |binary )?not found\b/,
      'installed or it': /Error: (?<command>\w{1,40}) is not installed or it's not in your PATH/,
      'Is poppler installed': /Is (?<command>poppler) installed and in PATH/,
      ExecutableNotFound: /ExecutableNotFound: failed to execute (?:PosixPath\()?['"[]{0,2}(?<command>\w{1,40})/,
      'executable found': /No (?<command>wkhtmltopdf|ffmpeg) (?:executable|exe could be) found/,
      'exe could be found': /No (?<command>ffmpeg) exe could be found/,
      'Bad git executable': /Bad (?<command>git) executable/,
      JAVA_HOME: /(?<command>JAVA)_HOME is not set/,
      'Java gateway process exited': /(?<command>Java) gateway process exited before sending its port number/,
    },
    applies: ({ command = '' }) => debianPackageOfProgram(command) !== undefined,
    title: '{command} is not installed in the image',
    fix: 'add the package that has {command} to [cerebrium.dependencies.apt]',
    at: 'dependencies.apt',
  },
  {
    cause: 'browser-missing',
    rank: 5,
    signs: {
      "Executable doesn't exist at": /Executable doesn't exist at (?<path>\S{1,200})/,
      'Looks like Playwright': /Looks like Playwright (?:Test or Playwright )?was just installed or updated/,
      'missing dependencies to run browsers': /Host system is missing dependencies to run browsers/,
    },
    title: 'the browser of Playwright, or a library that it needs, is not in the image',
    fix: 'run playwright install --with-deps chromium in the build (shell_commands), as the user that runs the app',
    at: 'deployment.shell_commands',
  },
  {
    cause: 'browser-missing',
    rank: 5,
    signs: {
      'executable needs to be in PATH': /'(?:chromedriver|geckodriver)' executable needs to be in PATH/,
      'cannot find Chrome binary': /cannot find Chrome binary/,
      'Unable to obtain driver for': /NoSuchDriverException: .{0,80}Unable to obtain driver for \w{1,20}/,
      'DevToolsActivePort file': /DevToolsActivePort file doesn't exist/,
    },
    title: 'Selenium finds no browser that starts',
    fix: 'add chromium and chromium-driver to [cerebrium.dependencies.apt], and start it headless (--headless=new)',
    at: 'dependencies.apt',
  },
  {
    cause: 'data-missing',
    rank: 4,
    signs: { 'nltk.download(': /^\s{0,10}>>> nltk\.download\('(?<name>[\w-]{1,60})'\)/ },
    title: 'the data {name} of NLTK is not in the image',
    fix: 'download it in the build (shell_commands): python -m nltk.downloader -d /usr/local/share/nltk_data {name}',
    at: 'deployment.shell_commands',
  },
  {
    cause: 'data-missing',
    rank: 4,
    signs: {
      "Can't find model": /\[E(?:050|941)\] Can't find model '(?<name>[\w./-]{1,80})'/,
      "No module named '":
        /ModuleNotFoundError: No module named '(?<name>[a-z]{2}_(?:core|dep|ent)_(?:web|news|sci|wiki)_(?:sm|md|lg|trf))'/,
    },
    title: 'the model {name} of spaCy is not in the image',
    fix: 'download it in the build (shell_commands): python -m spacy download {name}, by its full name, such as en_core_web_sm',
    at: 'deployment.shell_commands',
  },
];
