import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { before, test } from 'node:test';
import { WorkDoneProgress } from 'vscode-languageserver-protocol/node';
import manifest from '../package.json';
import { markAt, parseMachines, parseMarks, parseMeasureResult, parseRanking, parseText } from '../src/protocol/answers';
import { changedMethod, marksMethod, serverCommands } from '../src/protocol/protocol';
import type { Report } from '../src/server/progress';
import { outcomeOf } from '../src/measure/testoutcome';
import { buildServer, startServer } from './server';

// The extension reads the answers of the real server.

let binary: string;
before(() => { binary = buildServer(); });

test('the server has the commands that the extension calls, and none that it declares itself', async (t) => {
  const { initialized } = await startServer(t, binary, false);
  const offered = initialized.capabilities.executeCommandProvider?.commands ?? [];
  assert.deepEqual(Object.values(serverCommands).filter((id) => !offered.includes(id)), []);
  assert.deepEqual(manifest.contributes.commands.map((c) => c.command).filter((id) => offered.includes(id)), []);
});

test('a workspace that is not trusted is not measured, and the answer says why', async (t) => {
  const { execute, uri } = await startServer(t, binary, false);
  await assert.rejects(execute(serverCommands.measure, { scope: 'workspace', uri }), /not trusted/);
  assert.deepEqual(parseRanking(await execute(serverCommands.ranking, { top: 200 })), []);
});

test('a measurement reports progress under the token of its request; its result and ranking can be read', async (t) => {
  const { connection, execute, uri } = await startServer(t, binary, true);
  const kinds = new Set<string>();
  connection.onProgress(WorkDoneProgress.type, 'ours', (report: Report) => { kinds.add(report.kind); });
  const result = parseMeasureResult(await execute(serverCommands.measure, { scope: 'workspace', uri, rounds: 1 }, 'ours'));
  assert.equal(result.tests, 1);
  assert.deepEqual(result.top.map((c) => c.id).sort(), ['example.com/small.Sum', 'example.com/small.twice']);
  assert.deepEqual([...kinds].sort(), ['begin', 'end', 'report']);

  const rows = parseRanking(await execute(serverCommands.ranking, { top: 200 }));
  assert.deepEqual(rows.map((row) => row.rank), [1, 2]);
  const sum = rows.find((row) => row.id === 'example.com/small.Sum');
  assert.deepEqual(sum?.place, { uri: `${uri}/sum.go`, line: 2 });
  assert.equal(sum.stale, false);
});

test('marks and the ranking of all results can be read, and a notification comes when they change', async (t) => {
  const { connection, execute, uri } = await startServer(t, binary, true);
  const textDocument = { uri: `${uri}/sum.go` };
  const changed = new Promise<void>((resolve) => { connection.onNotification(changedMethod, () => { resolve(); }); });
  assert.deepEqual(parseMarks(await connection.sendRequest(marksMethod, { textDocument })), []);
  await execute(serverCommands.measure, { scope: 'workspace', uri, rounds: 1 });
  await changed;
  const marks = parseMarks(await connection.sendRequest(marksMethod, { textDocument }));
  assert.deepEqual(marks.map((m) => m.name), ['Sum', 'twice']);
  assert.equal(markAt(marks, 6)?.name, 'Sum');
  const rows = parseRanking(await execute(serverCommands.ranking, { top: 10, sort: 'time', filter: 'twice', all: true }));
  assert.deepEqual(rows.map((row) => [row.name, row.folder, row.file]), [['twice', uri, 'sum.go']]);
});

test('machines can be read: here nobody has named any', async (t) => {
  const { execute } = await startServer(t, binary, false);
  const { file, machines, chosen } = parseMachines(await execute(serverCommands.machines, {}));
  assert.equal(path.basename(file), 'machines.yaml');
  assert.deepEqual([machines, chosen], [[], []]);
});

test('one test is measured by its name, in the package of its file', async (t) => {
  const { execute, uri } = await startServer(t, binary, true);
  const argument = { scope: 'test', uri: `${uri}/sum_test.go`, name: 'TestSum', rounds: 1 };
  const { tests, outcomes } = parseMeasureResult(await execute(serverCommands.measure, argument));
  assert.equal(tests, 1);
  assert.deepEqual(outcomeOf('TestSum', outcomes), { is: 'passed' });
});

test('a loaded result has a report and can be the baseline; with no other run there is nothing to compare it with', async (t) => {
  const { execute, uri } = await startServer(t, binary, false);
  const run = parseText(await execute(serverCommands.load, { path: `${uri}/matrix.csv` }), 'run');
  const rows = parseRanking(await execute(serverCommands.ranking, { top: 2, run }));
  assert.deepEqual(rows.map((row) => [row.id, row.run]), [['twice', run], ['Sum', run]]);
  const answer = await execute(serverCommands.report, { format: 'text', run });
  assert.deepEqual([parseText(answer, 'run'), parseText(answer, 'root')], [run, uri]);
  const report = parseText(answer, 'path');
  assert.match(readFileSync(report, 'utf8'), /Sum/);
  rmSync(path.dirname(report), { recursive: true });
  assert.notEqual(parseText(await execute(serverCommands.setBaseline, {}), 'run'), '');
  await assert.rejects(execute(serverCommands.compare, {}), /nothing to compare with/);
});

test('clear leaves no ranking, the doctor answers with text, and cancel needs no measurement', async (t) => {
  const { execute } = await startServer(t, binary, true);
  await execute(serverCommands.clear, {});
  await execute(serverCommands.cancel, {});
  assert.deepEqual(parseRanking(await execute(serverCommands.ranking, {})), []);
  assert.match(String(await execute(serverCommands.doctor, {})), /rapl/);
});
