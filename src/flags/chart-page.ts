import { resolve } from 'node:path';
import type { Command as Commander, OptionValues } from '@commander-js/extra-typings';
import type { Context } from '../context.ts';
import { diskFailure, TemporaryNames, writeWhole } from '../disk/index.ts';
import { FailedError, GantryError, UsageError } from '../errors.ts';
import type { ChartReport } from '../output/chart/model.ts';

export interface ChartPageFlags {
  html?: string | undefined;
  open?: true | undefined;
}

/** The flags of commands whose answer can be a page for a browser as well. */
export function chartPageFlags<Inputs extends unknown[], Options extends OptionValues>(
  command: Commander<Inputs, Options>,
) {
  return command
    .option('--html <file>', 'also write a page with interactive charts')
    .option('--open', 'show that page in the browser');
}

/** Before anything is asked of the platform. */
export function checkChartPageFlags({ html, open }: ChartPageFlags): void {
  if (html === '-' || html === '')
    throw new UsageError('--html needs the name of a file', { fix: '--html chart.html' });
  if (open && html === undefined) {
    throw new UsageError('--open has nothing to open', {
      why: 'it shows the page that --html writes',
      fix: '--html chart.html --open',
    });
  }
}

/** Writes the page where it was asked for, and says so. */
export async function saveChartPage<Row>(
  context: Context,
  { html, open }: ChartPageFlags,
  title: string,
  report: () => ChartReport<Row>,
): Promise<void> {
  if (html === undefined) return;
  const { chartPage } = await import('../output/chart-page/chart-page.ts');
  const { pathToFileURL } = await import('node:url');
  const file = resolve(context.cwd, html);
  const names = new TemporaryNames(context.settings.folders.state);
  const { signal, secrets } = context;
  await writeWhole(file, chartPage(title, report(), secrets), { names, signal }).catch((cause: unknown) => {
    if (cause instanceof GantryError) throw cause;
    throw new FailedError(`cannot write ${html}`, { why: diskFailure(cause).message, cause });
  });
  names.close();
  context.progress.note(`the charts are in ${html}`);
  if (open && !(await context.openBrowser(pathToFileURL(file).href))) {
    context.progress.note('no browser could be opened here: open the file yourself');
  }
}
