/** The lines of a text, broken between words, and within one that is longer than a line. */
export function wrapText(text: string, width: number): string[] {
  const room = Math.max(20, width);
  const found: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line && line.length + 1 + word.length > room) {
      found.push(line);
      line = word;
    } else line = line ? `${line} ${word}` : word;
    while (line.length > room) {
      found.push(line.slice(0, room));
      line = line.slice(room);
    }
  }
  return [...found, line];
}
