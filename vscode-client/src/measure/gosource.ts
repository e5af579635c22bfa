// Finds declarations in Go source, line by line: the function around the cursor, and the
// tests of a file. Nothing here needs VS Code. Lines count from 0.

const test = /^func ((?:Test|Benchmark|Example|Fuzz)(?![a-z])\w*)\((?!\w* *\*testing\.M\))/;

export interface Declaration {
  name: string;
  line: number;
}

/** The tests, benchmarks, examples and fuzz tests that a file declares. */
export function testsOf(source: string): Declaration[] {
  return source.split(/\r?\n/).flatMap((text, line) => {
    const name = test.exec(text)?.[1];
    return name === undefined ? [] : [{ name, line }];
  });
}

/** The first declaration of each name: a file that does not compile may have several. */
export function eachOnce(tests: Declaration[]): Declaration[] {
  return tests.filter(({ name }, i) => tests.findIndex((other) => other.name === name) === i);
}

/**
 * The name of the Go test, benchmark, example or fuzz test whose declaration
 * is at the line or above it, with no other function between; undefined if
 * there is none.
 */
export function testAt(source: string, line: number): string | undefined {
  const at = declarationAt(source, line);
  return testsOf(source).find((found) => found.line === at?.line)?.name;
}

/**
 * The function whose declaration is at the line or above it, by the name that the
 * server takes: `Func`, `T.Method` or `(*T).Method`; undefined if there is none.
 */
export function declarationAt(source: string, line: number): Declaration | undefined {
  const lines = source.split(/\r?\n/).slice(0, line + 1);
  const at = lines.findLastIndex((text) => text.startsWith('func '));
  const found = /^func (?:\( *(?:\w+ +)?(\*?) *(\w+)[^)]*\) *)?(\w+)/.exec(lines[at] ?? '');
  if (found === null) {
    return undefined;
  }
  const [, star = '', receiver, name = ''] = found;
  const prefix = receiver === undefined ? '' : `${star === '' ? receiver : `(*${receiver})`}.`;
  return { name: prefix + name, line: at };
}
