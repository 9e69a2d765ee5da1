// What an operator's server may do to a run: it is away, refuses, breaks off, or is too slow. Each
// ends with exit 2, a code and a hint, and what is published stays untouched; no password is ever
// printed.

import { readdirSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ERRORS, type ErrorCode } from '../../src/errors.ts';
import { TABLE_NAMES } from '../../src/database/contract/tables.ts';
import { freePort } from '../support/edge/runtimes/runtime.ts';
import { Command, errorCodeOf } from '../support/fault/command.ts';
import { richCatalogue } from '../support/fault/rich-catalogue.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { copyTree, stampsOf } from '../support/fault/tree-copy.ts';
import { Cluster } from '../support/postgres/cluster.ts';
import { copyCatalogue } from '../support/postgres/copy.ts';
import { newSchema, SchemaClient, type OwnSchema } from '../support/postgres/own-schema.ts';
import { Pooler } from '../support/postgres/pooler.ts';
import { buildTree, catalogueAt, filesOf, instant, temporaryFolder, temporaryFolderOfFile } from '../support/trees.ts';
import { sample } from '../speeds.ts';

const SECRET = 'hunter2-äß/@:x';
const command = new Command();
const folder = temporaryFolderOfFile();

let cluster: Cluster;
let admin: SchemaClient;
let schema: OwnSchema;
let base = '';
let expected: ReadonlyMap<string, string>;

/** Of the cluster, for `playbill`, a user with a password who may read. */
let address = '';
const searchPath = (name: string): string => `options=-csearch_path%3D${name}`;
const withPassword = { PGPASSWORD: SECRET };

beforeAll(async () => {
  cluster = await Cluster.start({ auth: 'scram-sha-256', password: SECRET });
  const root = `postgres://postgres:${encodeURIComponent(SECRET)}@127.0.0.1:${cluster.port}/postgres`;
  admin = new SchemaClient(root);
  schema = await newSchema(root);
  const path = catalogueAt(join(folder, 'good.sqlite'), richCatalogue(['alpha', 'bravo']));
  await copyCatalogue(path, schema, 'native');
  await schema.client
    .query(`CREATE ROLE playbill LOGIN PASSWORD '${SECRET}'; GRANT USAGE ON SCHEMA ${schema.name} TO playbill;
    GRANT SELECT ON ALL TABLES IN SCHEMA ${schema.name} TO playbill;
    CREATE SCHEMA over; GRANT USAGE ON SCHEMA over TO playbill; ALTER DEFAULT PRIVILEGES IN SCHEMA over GRANT SELECT ON TABLES TO playbill`);
  address = `postgres://playbill@127.0.0.1:${cluster.port}/postgres`;
  const size = { fronts: ['alpha', 'bravo'], productsPerFront: 3, sessionsPerProduct: 2 };
  const old = catalogueAt(join(folder, 'old.sqlite'), smallCatalogue({ ...size, edition: 'old' }));
  base = join(folder, 'base');
  await buildTree(old, base, instant(NOW), { toolVersion: '0.1.0' });
  const after = copyTree(base, join(folder, 'after'));
  const run = await command.run(['build', '--db', path, '--out', after, '--now', NOW]);
  expect(run.code, run.stderr).toBe(0);
  expected = filesOf(after);
});
afterAll(() => cluster.stop());

/** The address of the good catalogue, or behind views of the schema `over`. */
const good = (path = schema.name): string => `${address}?${searchPath(path)}`;
const behindViews = (): string => good(`over%2C${schema.name}`);

interface Refusal {
  readonly code: ErrorCode;
  readonly message: RegExp;
  readonly hint: RegExp;
}

/**
 * A run over a published tree is refused, says nothing of any password, and leaves the tree as it
 * is.
 */
async function expectRefused(
  db: string,
  { code, message, hint }: Refusal,
  environment: Readonly<Record<string, string>> = withPassword,
) {
  const tree = copyTree(base, join(temporaryFolder(), 'out'));
  const stamps = stampsOf(tree);
  const run = await command.run(['build', '--db', db, '--out', tree, '--json'], { environment });
  expect([errorCodeOf(run), run.code], run.stderr).toEqual([code, ERRORS[code].exit]);
  expect(run.stderr).toMatch(message);
  expect(run.stderr).toMatch(hint);
  expect(stampsOf(tree)).toEqual(stamps);
  const all = run.stdout + run.stderr;
  for (const secret of ['hunter2', 'wrong-one']) expect(all).not.toContain(secret);
  expect(all).not.toMatch(/^\s+at /m);
}

/** A build that succeeds, and gives the tree that the same catalogue in SQLite gives. */
async function expectBuilt(db: string, environment: Readonly<Record<string, string>> = withPassword): Promise<void> {
  const tree = copyTree(base, join(temporaryFolder(), 'out'));
  const run = await command.run(['build', '--db', db, '--out', tree, '--now', NOW], { environment });
  expect(run.code, run.stderr).toBe(0);
  expect(filesOf(tree)).toEqual(expected);
  expect(run.stdout + run.stderr).not.toMatch(/hunter2|Warning/);
}

test('with the password from the environment, or in the address, the catalogue is built', async () => {
  await expectBuilt(good());
  await expectBuilt(good().replace('playbill@', `playbill:${encodeURIComponent(SECRET)}@`), {});
});

describe('text that is almost an address', () => {
  const at = 'playbill:hunter2@127.0.0.1/shop';

  test.each([
    ['of another driver', `postgresql+psycopg2://${at}`, 'postgresql+psycopg2://…'],
    ['with a blank before it', ` postgres://${at}`, ' postgres://…'],
    ['in quotes', `"postgres://${at}"`, '"postgres://…'],
    ['of words', 'host=127.0.0.1 user=playbill password=hunter2', '…'],
    ['of another database', `mysql://${at}`, 'mysql://…'],
  ])('%s is refused, shows no password and makes no file', async (_, db, shown) => {
    await expectRefused(db, {
      code: 'database-unreadable',
      message: /expected postgres:\/\/user@host:port\/database\?parameters, or a path, found something else: /,
      hint: /hint: begin with postgres:\/\/, without quotes and blanks/,
    });
    const here = temporaryFolder();
    writeFileSync(join(here, 'rows.ndjson'), '');
    const through = ['env', '-C', here];
    for (const words of [['import', 'rows.ndjson'], ['keys', 'list'], ['check-db']])
      for (const run of [
        await command.run([...words, '--db', db], { through }),
        await command.run(words, { through, environment: { PLAYBILL_DB: db } }),
      ]) {
        expect(run.code, run.stderr).toBe(2);
        expect(run.stderr).toContain(`found something else: ${shown}\n`);
        expect(run.stdout + run.stderr).not.toContain('hunter2');
      }
    expect(readdirSync(here)).toEqual(['rows.ndjson']);
  });
});

describe('a server that does not let in', () => {
  test('nobody listens', async () => {
    await expectRefused(`postgres://playbill@127.0.0.1:${await freePort()}/shop`, {
      code: 'database-unreachable',
      message: /expected a server at postgres:\/\/playbill@127\.0\.0\.1:\d+\/shop, found: .*ECONNREFUSED/,
      hint: /hint: check that the server is up and lets this machine in: psql /,
    });
  });

  test('who listens says nothing', async () => {
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    await expectRefused(`postgres://playbill@127.0.0.1:${port}/shop?connect_timeout=2`, {
      code: 'database-unreachable',
      message: /found: .*timeout/,
      hint: /check that the server is up/,
    });
    silent.close();
  });

  test('who listens is no PostgreSQL', async () => {
    const other = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    await expectRefused(`postgres://playbill@127.0.0.1:${port}/shop`, {
      code: 'database-unreachable',
      message: /expected PostgreSQL at postgres:.*, found another server/,
      hint: /something else listens there/,
    });
    other.close();
  });

  test.each([
    ['a wrong one from the environment', '', { PGPASSWORD: 'wrong-one' }],
    ['a wrong one in the address', ':wrong-one', {}],
  ])('the password: %s', async (_, inAddress, environment) => {
    await expectRefused(
      good().replace('playbill@', `playbill${inAddress}@`),
      {
        code: 'database-unreadable',
        message: /expected to be let in at postgres:\/\/playbill@127\.0\.0\.1:/,
        hint: /hint: set PGPASSWORD, or add a line host:port:database:user:password to ~\/\.pgpass \(chmod 600\)/,
      },
      environment,
    );
  });

  test('no password, where one is asked for', async () => {
    const message =
      /expected a password for user playbill at postgres:\/\/playbill@127\.0\.0\.1:\d+\/postgres.*, found none/;
    const hint =
      /hint: set PGPASSWORD, or add a line to ~\/\.pgpass \(chmod 600\): 127\.0\.0\.1:\d+:postgres:playbill:PASSWORD/;
    await expectRefused(good(), { code: 'database-unreadable', message, hint }, {});
  });

  test('the user may not log in', async () => {
    await admin.query(`CREATE ROLE locked NOLOGIN PASSWORD '${SECRET}'`);
    await expectRefused(good().replace('playbill@', 'locked@'), {
      code: 'database-unreadable',
      message: /expected to be let in at postgres:\/\/locked@.*, found: role "locked" is not permitted to log in/,
      hint: /hint: check the user in the address, and the lines of the server's pg_hba\.conf/,
    });
  });

  test('there is no such setting', async () => {
    await expectRefused(`${good()}%20-cno_such%3D1`, {
      code: 'database-unreadable',
      message: /expected a session at .*, found: unrecognized configuration parameter "no_such" \(42704\)/,
      hint: /hint: check the address, its options and PGOPTIONS: psql 'postgres:/,
    });
  });

  test('there is no such database', async () => {
    await expectRefused(good().replace('/postgres?', '/no_such?'), {
      code: 'database-missing',
      message: /database "no_such" does not exist/,
      hint: /name another with --db; they are listed by: psql --list/,
    });
  });

  test('it has no room', async () => {
    await admin.query(`CREATE ROLE crowded LOGIN PASSWORD '${SECRET}' CONNECTION LIMIT 0`);
    await expectRefused(good().replace('playbill@', 'crowded@'), {
      code: 'database-busy',
      message: /too many connections for role "crowded"/,
      hint: /the next run tries again/,
    });
  });

  test('TLS is asked for, and there is none', async () => {
    await expectRefused(`${good()}&sslmode=require`, {
      code: 'database-unreachable',
      message: /expected TLS at .*, found a server without/,
      hint: /sslmode=disable/,
    });
  });

  test('several servers in one address', async () => {
    await expectRefused(good().replace(`:${cluster.port}`, `:${cluster.port},127.0.0.1:1`), {
      code: 'database-unreadable',
      message: /found something else: postgres:/,
      hint: /name one server/,
    });
  });
});

describe('a catalogue that cannot be read', () => {
  test('no SELECT', async () => {
    await schema.client.query('REVOKE SELECT ON price_tiers FROM playbill');
    await expectRefused(good(), {
      code: 'database-unreadable',
      message: /found: permission denied for table price_tiers/,
      hint: /hint: grant it: GRANT SELECT ON ALL TABLES IN SCHEMA … TO …/,
    });
    await schema.client.query('GRANT SELECT ON price_tiers TO playbill');
  });

  test('no USAGE of the schema', async () => {
    await schema.client.query(`REVOKE USAGE ON SCHEMA ${schema.name} FROM playbill`);
    await expectRefused(good(), {
      code: 'contract-table-missing',
      message: /on the search_path test_\w+ \(no such schema, or none that this user may use\), found none/,
      hint: /data\/schema-postgres\.sql/,
    });
    await schema.client.query(`GRANT USAGE ON SCHEMA ${schema.name} TO playbill`);
  });

  test('a database that checks no text', async () => {
    await admin.query("CREATE DATABASE bytes ENCODING 'SQL_ASCII' LOCALE 'C' LOCALE_PROVIDER libc TEMPLATE template0");
    await expectRefused(good().replace('/postgres?', '/bytes?'), {
      code: 'database-unreadable',
      message: /expected a database whose server checks its text, found .* in SQL_ASCII/,
      hint: /ENCODING UTF8/,
    });
  });

  test('a view that divides by zero, whichever table it stands for', async () => {
    for (const table of sample(TABLE_NAMES, 4)) {
      await schema.client.query(
        `CREATE VIEW over.${table} AS SELECT * FROM ${schema.name}.${table} AS t WHERE 1 / (length(t::text) * 0) IS NULL`,
      );
      await expectRefused(behindViews(), {
        code: 'view-failed',
        message: new RegExp(
          `expected rows of .*\\b${table}\\b.* from .* an expression of .*: division by zero \\(22012\\)`,
        ),
        hint: new RegExp(`try it: psql .* -c "SELECT .* FROM ${table}"`),
      });
      await schema.client.query(`DROP VIEW over.${table}`);
    }
  });

  test('a view that takes longer than the server allows', async () => {
    await schema.client.query(
      `CREATE VIEW over.sessions AS SELECT t.* FROM ${schema.name}.sessions AS t, pg_sleep(100)`,
    );
    await expectRefused(`${behindViews()}%20-cstatement_timeout%3D300`, {
      code: 'database-busy',
      message: /broke off while rows of .*sessions.* were read: canceling statement due to statement timeout \(57014\)/,
      hint: /where a statement_timeout ended it: ALTER ROLE … SET statement_timeout = 0/,
    });
    await schema.client.query('DROP VIEW over.sessions');
  });
});

describe('a connection that breaks', () => {
  test('at each of the reads', async () => {
    await admin.query('GRANT pg_signal_backend TO playbill');
    for (const table of sample(TABLE_NAMES.toReversed(), 4)) {
      await schema.client.query(
        `CREATE VIEW over.${table} AS SELECT * FROM ${schema.name}.${table} AS t WHERE length(t::text) = 0 OR pg_terminate_backend(pg_backend_pid())`,
      );
      await expectRefused(behindViews(), {
        code: 'database-busy',
        message: /broke off while rows .*were read: terminating connection due to administrator command \(57P01\)/,
        hint: /the next run tries again/,
      });
      await schema.client.query(`DROP VIEW over.${table}`);
    }
  });

  test('the server stops, as by a crash, in the middle of a load', async () => {
    await using other = await Cluster.start();
    const theirs = await newSchema(other.url);
    const rows = smallCatalogue({ fronts: ['alpha'], productsPerFront: 700, sessionsPerProduct: 1, edition: 'then' });
    await copyCatalogue(catalogueAt(join(temporaryFolder(), 'then.sqlite'), rows), theirs, 'contract');
    const tree = copyTree(base, join(temporaryFolder(), 'out'));
    const stamps = stampsOf(tree);
    let stopping: Promise<void> | undefined;
    const onProgress = (phase: string): void => {
      if (phase === 'load') stopping ??= other.stopServer();
    };
    const refused: unknown = await buildTree(theirs.url, tree, instant(NOW), { onProgress }).catch(
      (error: unknown) => error,
    );
    expect(refused).toMatchObject({ code: expect.stringMatching(/^database-(?:busy|unreachable)$/) as string });
    await stopping;
    expect(stampsOf(tree)).toEqual(stamps);
    await expectRefused(theirs.url, {
      code: 'database-unreachable',
      message: /ECONNREFUSED/,
      hint: /check that the server is up/,
    });
  });
});

describe('a pooler', () => {
  const throughPooler = (pooler: Pooler, options = ''): string =>
    `postgres://playbill@127.0.0.1:${pooler.port}/shop${options}`;
  const start = (mode?: 'statement' | 'session'): Promise<Pooler> =>
    Pooler.start({
      port: cluster.port,
      database: 'postgres',
      users: { playbill: SECRET },
      ...(mode === undefined ? {} : { mode }),
    });

  test('in the mode of the recipe: every command that reads works, one after the other', async () => {
    await admin.query(`ALTER ROLE playbill SET search_path = ${schema.name}`);
    await using pooler = await start();
    const db = throughPooler(pooler);
    for (let run = 0; run < 3; run++) await expectBuilt(db);
    const direct = good();
    for (const words of [
      ['check-db', '--all'],
      ['explain', '--front', 'alpha', '--product', 'p-1010', '--at', NOW],
      ['export'],
    ]) {
      const [through, without] = [
        await command.run([...words, '--db', db], { environment: withPassword }),
        await command.run([...words, '--db', direct], { environment: withPassword }),
      ];
      expect(through.stdout, through.stderr).toBe(without.stdout);
      expect(through.code).toBe(without.code);
    }
    await admin.query('ALTER ROLE playbill RESET search_path');
  });

  test('has temporary tables of another client, which no run reads', async () => {
    await admin.query('GRANT TEMPORARY ON DATABASE postgres TO playbill');
    await using pooler = await start();
    const db = throughPooler(pooler);
    const analyst = new SchemaClient(db.replace('playbill@', `playbill:${encodeURIComponent(SECRET)}@`));
    for (const path of [schema.name, `pg_temp, ${schema.name}`, `${schema.name}, "pg_temp", public`]) {
      await admin.query(`ALTER ROLE playbill SET search_path = ${path}`);
      // A run that ends within a transaction ends the server's session, and its tables with it.
      await analyst.query(`CREATE TEMPORARY TABLE price_tiers AS SELECT * FROM ${schema.name}.price_tiers;
        UPDATE pg_temp.price_tiers SET amount_minor = 1; CREATE TEMPORARY TABLE venues AS SELECT 1 AS id`);
      await expectBuilt(db);
    }
    await admin.query('ALTER ROLE playbill RESET search_path');
  });

  test('in the mode session', async () => {
    await admin.query(`ALTER ROLE playbill SET search_path = ${schema.name}`);
    await using pooler = await start('session');
    await expectBuilt(throughPooler(pooler));
    await admin.query('ALTER ROLE playbill RESET search_path');
  });

  test('in the mode statement there are no transactions', async () => {
    await using pooler = await start('statement');
    await expectRefused(throughPooler(pooler), {
      code: 'database-unreadable',
      message: /expected a session at .*, found a pooler: .*statement pooling mode/,
      hint: /hint: a build is one transaction: set pool_mode = transaction or session/,
    });
  });

  test('does not pass options on', async () => {
    await using pooler = await start();
    await expectRefused(throughPooler(pooler, `?${searchPath(schema.name)}`), {
      code: 'database-unreadable',
      message: /found a pooler: .*unsupported startup parameter/,
      hint: /ALTER ROLE … SET search_path/,
    });
  });
});
