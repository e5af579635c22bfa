// Markdown as VS Code shows it. Nothing here needs VS Code.

/** Text in Markdown that stands for itself, on one line: names come from the source. */
export function escaped(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(/[!-/:-@[-`{-~]/g, (sign) => sign === '<' ? '&lt;' : sign === '&' ? '&amp;' : `\\${sign}`);
}

/** Markdown with room between the columns of its tables: VS Code leaves none, and cuts spaces off. */
export function spacedTables(markdown: string): string {
  return markdown.split('\n').map((line) => /^\| (?!:)/.test(line) ? line.replaceAll(' | ', ' | &emsp;') : line).join('\n');
}
