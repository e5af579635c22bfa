// Nothing here needs VS Code.

/**
 * The hover's Markdown without the paragraphs with which a message ends. It compares
 * text, as the server does not say which paragraph is the explanation.
 */
export function withoutRepetition(markdown: string, messages: string[]): string {
  const repeated = (paragraph: string): boolean => paragraph !== '' && messages.some((message) => message.endsWith(`: ${literal(paragraph)}`));
  return markdown.split('\n\n').filter((paragraph) => !repeated(paragraph)).join('\n\n');
}

/** What Markdown shows of text without markup. */
function literal(paragraph: string): string {
  return paragraph.replaceAll(/\\([!-/:-@[-`{-~])/g, '$1');
}
