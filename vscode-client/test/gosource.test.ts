import assert from 'node:assert/strict';
import test from 'node:test';
import { declarationAt, eachOnce, testAt, testsOf } from '../src/measure/gosource';

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
func TestMain(m *testing.M) { }
func (l List[K, V]) Len() int { return 0 }
func (*Park) Sort() { }
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
  [17, undefined, 'on a name with a small letter after Test, which go test does not run'],
  [18, 'Test_underscore', 'on a name with an underscore'],
  [19, undefined, 'in TestMain, which is no test'],
];

for (const [line, want, where] of cases) {
  test(`the cursor is ${where}`, () => {
    assert.equal(testAt(source, line), want);
    assert.equal(testAt(source.replaceAll('\n', '\r\n'), line), want);
  });
}

test('the tests of a file, each with its line', () => {
  assert.deepEqual(testsOf(source.replaceAll('\n', '\r\n')), [
    { name: 'TestMorningRush', line: 4 }, { name: 'BenchmarkSort', line: 14 }, { name: 'FuzzParse', line: 15 },
    { name: 'Example', line: 16 }, { name: 'Test_underscore', line: 18 },
  ]);
});

test('a test that is declared twice, as while it is copied, is one test', () => {
  const copied = 'func TestA(t *testing.T) {}\nfunc TestB(t *testing.T) {}\nfunc TestA(t *testing.T) {}\n';
  assert.deepEqual(eachOnce(testsOf(copied)), [{ name: 'TestA', line: 0 }, { name: 'TestB', line: 1 }]);
});

const functions: [number, string | undefined][] = [
  [0, undefined], [2, 'helper'], [6, 'TestMorningRush'], [11, '(*visit).TestLike'], [20, 'List.Len'], [21, '(*Park).Sort'],
];
for (const [line, want] of functions) {
  test(`the function at line ${line} is ${want ?? 'none'}, as the linker names it`, () => {
    assert.equal(declarationAt(source, line)?.name, want);
  });
}
