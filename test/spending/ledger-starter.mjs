// A run that starts beside others: opens ledgers as `check` does, when it is told to.
//
//   node ledger-starter.mjs OPENER
//
// OPENER is the compiled src/spending/this-process.ts. A message with a path asks to open that ledger; the
// answer is `held` or the code of the error. A message `close` closes it.

const { ledgerFile } = await import(process.argv[2] ?? '');

let ledger;

process.on('message', (message) => {
  void answer(String(message)).then((text) => process.send?.(text));
});

/** @param {string} message */
async function answer(message) {
  if (message === 'close') {
    ledger?.close();
    return 'closed';
  }
  try {
    ledger = await ledgerFile(message, { cwd: '/', env: {} }).open();
    return 'held';
  } catch (error) {
    return error.code ?? String(error);
  }
}

process.send?.('ready');
