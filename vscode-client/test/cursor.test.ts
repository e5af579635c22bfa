import assert from 'node:assert/strict';
import test from 'node:test';
import { testAt } from '../src/cursor';

const source = `package parking

func helper() {}

func TestMorningRush(t *testing.T) {
	t.Run("first", func(t *testing.T) {
		helper()
	})
}

func (v *visit) TestLike() {
	v.sort()
}

func BenchmarkSort(b *testing.B) { }
func FuzzParse(f *testing.F) { }
func Example() { }
func Testimony(t *testing.T) { }
func Test_underscore(t *testing.T) { }
`;

const cases: [number, string | undefined, string][] = [
  [0, undefined, 'above all functions'],
  [2, undefined, 'in a helper'],
  [4, 'TestMorningRush', 'on the declaration'],
  [6, 'TestMorningRush', 'in a subtest'],
  [10, undefined, 'in a method, which go test does not run'],
  [11, undefined, 'in the body of a method'],
  [14, 'BenchmarkSort', 'on a benchmark'],
  [15, 'FuzzParse', 'on a fuzz test'],
  [16, 'Example', 'on the example of a package'],
  [17, undefined, 'on a name with a small letter behind Test, which go test does not run'],
  [18, 'Test_underscore', 'on a name with an underscore'],
];

for (const [line, want, where] of cases) {
  test(`the cursor is ${where}`, () => {
    assert.equal(testAt(source, line), want);
    assert.equal(testAt(source.replaceAll('\n', '\r\n'), line), want);
  });
}
