/**
 * Lines of a terminal after it got a text: understands line feeds, carriage returns, the cursor up, and erasing to the
 * end of the line or of the screen. Lines are without blanks at their end, and without empty ones at the end.
 *
 * @throws Error at another control sequence, but those that change no text
 */
export function screenOf(text: string): string[] {
  const lines: string[] = [''];
  let row = 0;
  let column = 0;
  for (const [token] of text.matchAll(/\u001b\[[?\d;]*[A-Za-z]|[\s\S]/gu)) {
    const line = lines[row] ?? '';
    const [, count = '1', command] = /^\u001b\[(\d*)([A-Z])$/.exec(token) ?? [];
    if (token === '\n') {
      row++;
      column = 0;
      lines[row] ??= '';
    } else if (token === '\r') column = 0;
    else if (command === 'A') {
      row -= Number(count || 1);
      if (row < 0) throw new Error('the cursor left the screen');
    } else if (command === 'K' || command === 'J') {
      lines[row] = line.slice(0, column);
      if (command === 'J') lines.length = row + 1;
    } else if (token.length === 1) {
      lines[row] = line.slice(0, column).padEnd(column) + token + line.slice(column + 1);
      column++;
    } else if (!/^\u001b\[(\?\d+[hl]|[\d;]*m)$/.test(token)) {
      throw new Error(`unknown control sequence ${JSON.stringify(token)}`);
    }
  }
  const shown = lines.map((line) => line.trimEnd());
  return shown.slice(0, shown.findLastIndex((line) => line !== '') + 1);
}
