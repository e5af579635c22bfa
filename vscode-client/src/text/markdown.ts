// Markdown as VS Code shows it. Nothing here needs VS Code.

/** Escapes text so that Markdown shows it literally, on one line: names come from source code. */
export function escaped(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(/[!-/:-@[-`{-~]/g, (char) => char === '<' ? '&lt;' : char === '&' ? '&amp;' : `\\${char}`);
}

/** Markdown with room between the columns of its tables: VS Code leaves none, and trims spaces. */
export function spacedTables(markdown: string): string {
  return markdown.split('\n').map((line) => /^\| (?!:)/.test(line) ? line.replaceAll(' | ', ' | &emsp;') : line).join('\n');
}
