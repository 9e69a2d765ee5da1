#!/usr/bin/env node
// Entry point: refuses a Node.js that is too old. Imports nothing before that check, because an
// older Node.js would stop at a syntax error or crash in the SQLite driver, which needs Node-API
// version 10.

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major >= 24 || (major === 22 && minor >= 14)) {
  const isVersionOnly = /^(-v|-V|--version)$/.test(process.argv.slice(2).join(' '));
  if (isVersionOnly) (await import('./version.ts')).printVersion();
  else await import('./process.ts');
} else {
  process.stderr.write(
    `Playbill needs Node.js 22.14 or newer (not 23), and this is ${process.versions.node}: install another, such as 24\n`,
  );
  const [{ existsSync }, { fileURLToPath }] = await Promise.all([import('node:fs'), import('node:url')]);
  const checkout = fileURLToPath(new URL('../../', import.meta.url));
  const node = `${checkout}.node/node_modules/.bin/node`;
  if (existsSync(node)) {
    const script = `#!/bin/sh\n    exec ${node} ${checkout}dist/cli/main.js "$@"`;
    process.stderr.write(
      `  hint: the checkout contains a newer one; make /usr/local/bin/playbill a script of two lines:\n    ${script}\n`,
    );
  }
  process.exitCode = 2;
}
