import type { Page, Stream, View } from './page.ts';

/** The screen besides the usual one, without a cursor, and long lines are cut. And back. */
const enter = '\u001b[?1049h\u001b[?25l\u001b[?7l';
const leave = '\u001b[?7h\u001b[?25h\u001b[?1049l';

/** A screen on which each text takes the place of the last, also when its size changes. `toText` makes it safe. */
export function openFrames(
  stdout: Stream,
  page: Page,
  write: (text: string) => Promise<void>,
  toText: (text: string, page: Page) => string,
) {
  let last: View | undefined;
  let isOpen = false;
  const currentPage = (): Page => ({
    ...page,
    columns: stdout.columns || page.columns,
    rows: stdout.rows || page.rows,
  });
  const draw = async (view: View) => {
    const current = currentPage();
    const lines = toText(view(current), current).split('\n').slice(0, current.rows);
    // Overwritten, not cleared first: that would flicker.
    await write(`\u001b[H${lines.map((line) => `${line}\u001b[K`).join('\n')}\u001b[J`);
  };
  const onResize = () => void (last && draw(last).catch(() => {}));
  const restore = () => {
    if (!isOpen) return;
    isOpen = false;
    void write(leave).catch(() => {});
  };
  return {
    async show(view: View) {
      last = view;
      if (!isOpen) {
        isOpen = true;
        stdout.on('resize', onResize);
        // A second Ctrl-C ends the process at once.
        process.once('exit', restore);
        await write(enter);
      }
      await draw(view);
    },
    close() {
      stdout.off('resize', onResize);
      process.off('exit', restore);
      restore();
    },
  };
}
