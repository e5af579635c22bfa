// An extension that stands beside the one that is tested, in the same
// extension host, and does there what the test asks for: it reads functions,
// a line of JSON each, from the socket SPELL_DRIVER, calls them with the API
// of VS Code and answers with what they return.

const net = require('node:net');
const readline = require('node:readline');
const vscode = require('vscode');

exports.activate = () => {
  const wire = net.connect(process.env.SPELL_DRIVER);
  readline.createInterface({ input: wire }).on('line', async (line) => {
    const { id, step, args } = JSON.parse(line);
    wire.write(`${JSON.stringify({ id, ...await answer(step, args) })}\n`);
  });
};

async function answer(step, args) {
  try {
    return { result: await new Function(`return (${step})`)()(vscode, ...args) };
  } catch (error) {
    return { error: error.stack ?? String(error) };
  }
}
