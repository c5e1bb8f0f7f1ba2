import { join } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { TemporaryNames, writeFileAtomic } from '../../kernel/disk/index.ts';
import type { ChartReport } from '../../kernel/output/chart/model.ts';
import type { Context } from '../../platform/context.ts';
import { type OutputKind, writeOutput } from '../../storage/output-files.ts';

export const chartPageFlag = [
  '--html [file]',
  'write a page with charts; without a file, open it in the browser',
  fileFlag,
] as const;

function fileFlag(text: string): string {
  if (text === '-') throw new InvalidArgumentError('Expected a file name such as chart.html.');
  return text;
}
fileFlag.writes = 'page' as const satisfies OutputKind;

export async function saveChartPage<Row>(
  context: Context,
  { html }: { html?: string | true | undefined },
  title: string,
  report: () => ChartReport<Row>,
): Promise<void> {
  if (html === undefined) return;
  const { chartPage } = await import('../../kernel/output/chart-page/chart-page.ts');
  const { pathToFileURL } = await import('node:url');
  const { state } = context.settings.folders;
  // The browser reads it after this process: one file, which the next page replaces.
  const file = html === true ? join(state, 'charts.html') : html;
  const names = new TemporaryNames(state);
  const { signal, secrets } = context;
  const { body } = chartPage(title, report(), secrets);
  await writeOutput(context, file, (target) => writeFileAtomic(target, body, { names, signal }));
  names.close();
  if (html === true) {
    if (await context.openBrowser(pathToFileURL(file).href)) return;
    return context.progress.note(`no browser found; the charts are in ${file}`);
  }
  context.progress.note(`wrote the charts to ${html}`);
}
