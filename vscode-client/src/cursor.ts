// What the cursor is in. Nothing here needs VS Code.

/**
 * The name of the Go test, benchmark, example or fuzz test whose declaration
 * is at the line or above it, with no other function between; undefined if
 * there is none. Lines count from 0.
 */
export function testAt(source: string, line: number): string | undefined {
  const above = source.split(/\r?\n/).slice(0, line + 1).reverse();
  const declaration = above.find((text) => text.startsWith('func '));
  return declaration?.match(/^func ((?:Test|Benchmark|Example|Fuzz)(?![a-z])\w*)\(/)?.[1];
}
