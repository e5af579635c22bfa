// The server's hover as VS Code shows it best. Nothing here needs VS Code.

/** The hover with room in its tables, and without the paragraphs that end a message which stands above it. */
export function arranged(markdown: string, messages: string[]): string {
  const repeated = (paragraph: string): boolean => paragraph !== '' && messages.some((message) => message.endsWith(`: ${literal(paragraph)}`));
  return roomy(markdown.split('\n\n').filter((paragraph) => !repeated(paragraph)).join('\n\n'));
}

/** What Markdown shows of text without markup. */
function literal(paragraph: string): string {
  return paragraph.replaceAll(/\\([!-/:-@[-`{-~])/g, '$1');
}

/** Tables with room between their columns: VS Code leaves none, and cuts spaces off. */
export function roomy(markdown: string): string {
  return markdown.split('\n').map((line) => /^\| (?!:)/.test(line) ? line.replaceAll(' | ', ' | &emsp;') : line).join('\n');
}
