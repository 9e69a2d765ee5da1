// What takes a server: two writers at once, users who may not write, connections that break, and an
// import that is killed. Whatever comes between, the catalogue has all rows of an import or none.

import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { importRows, type ImportResult } from '../../src/database/write/import-rows.ts';
import type { ImportSource } from '../../src/database/write/input-rows.ts';
import { mirrorRows } from '../../src/database/write/mirror-rows.ts';
import { TABLE_NAMES } from '../../src/database/contract/tables.ts';
import { compiledCommand } from '../support/compiled.ts';
import { mountMemory } from '../support/fault/scarce-disk.ts';
import { smallCatalogue } from '../support/fault/small-catalogue.ts';
import { Cluster } from '../support/postgres/cluster.ts';
import { createShape } from '../support/postgres/copy.ts';
import { newSchema, SchemaClient, type OwnSchema } from '../support/postgres/own-schema.ts';
import { giveToServer, serverFolder } from '../support/postgres/server-user.ts';
import { exported, inputOf } from '../support/random-mirrors.ts';
import { playbillProcess } from '../support/cli/run.ts';
import { temporaryFolder } from '../support/trees.ts';
import { IS_SOAK } from '../speeds.ts';

const line = (table: string, row: object): string => `${JSON.stringify({ table, row })}\n`;
const venue = (id: number): string => line('venues', { id, name: 'Main stage', timezone: 'Europe/Berlin' });

/** Rows of which the second comes when `work` is done. */
function during(work: () => Promise<unknown>): readonly ImportSource[] {
  const open = async function* () {
    // More than a batch, so that the server has some of them.
    yield Buffer.from(Array.from({ length: 600 }, (_, i) => venue(i + 1)).join(''));
    await work();
    yield Buffer.from(venue(1000));
  };
  return [{ name: 'slow', open }];
}

const imported = (databasePath: string, sources: readonly ImportSource[]): Promise<ImportResult> =>
  importRows(sources, { databasePath, isReplacing: false });

const venuesIn = async ({ client }: OwnSchema): Promise<unknown> =>
  (await client.query("SELECT to_regclass('venues') AS there")).some(({ there }) => there === null)
    ? null
    : (await client.query('SELECT count(*)::int AS total FROM venues'))[0]?.['total'];

async function readySchema(): Promise<OwnSchema> {
  const schema = await newSchema();
  await createShape(schema, 'contract');
  return schema;
}

describe('two at once', () => {
  test('nobody sees tables or rows before all are there', async () => {
    await using schema = await newSchema();
    const seen: unknown[] = [];
    await imported(
      schema.url,
      during(async () => seen.push(await venuesIn(schema))),
    );
    expect(seen).toEqual([null]);
    await imported(schema.url, inputOf(venue(2000)));
    expect(await venuesIn(schema)).toBe(602);
  });

  test('two imports that make the tables: the later one is to run again', async () => {
    await using schema = await newSchema();
    let other: Promise<unknown> = Promise.resolve();
    const first = imported(
      schema.url,
      during(async () => {
        other = imported(schema.url, inputOf(venue(2000))).catch((error: unknown) => error);
        // It has looked for tables, found none, and waits for the first one's.
        const query =
          "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '-- The catalogue%'";
        while ((await schema.client.query(query)).length === 0) await sleep(20);
      }),
    );
    expect((await first).isNew).toBe(true);
    expect(await other).toMatchObject({
      code: 'database-exists',
      hint: 'run the same command again to import into them',
    });
    expect(await venuesIn(schema)).toBe(601);
  });

  test('a table that another writer holds: busy, and nothing is changed', async () => {
    await using schema = await readySchema();
    await schema.client.session(async (holder) => {
      await holder.query('BEGIN; LOCK TABLE venues IN EXCLUSIVE MODE');
      await expect(imported(schema.url, inputOf(venue(1)))).rejects.toMatchObject({
        code: 'database-busy',
        hint: expect.stringContaining('pg_stat_activity') as string,
      });
    });
    expect(await venuesIn(schema)).toBe(0);
  });

  test('a row that is written after the comparison waits for the end of the mirror', async () => {
    await using schema = await readySchema();
    await imported(schema.url, inputOf(venue(1)));
    await schema.client.query(`CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_advisory_xact_lock(hashtext('${schema.name}')); RETURN new; END $$;
      CREATE TRIGGER wait BEFORE INSERT ON venues FOR EACH ROW EXECUTE FUNCTION wait()`);
    const waiting = async (kind: string): Promise<boolean> => {
      const query = `SELECT 1 FROM pg_locks WHERE NOT granted AND ${kind}`;
      return (await schema.client.query(query)).length > 0;
    };
    const [mirror, update] = await schema.client.session(async (holder) => {
      await holder.query(`SELECT pg_advisory_lock(hashtext('${schema.name}'))`);
      const mirroring = mirrorRows(inputOf(venue(2)), { databasePath: schema.url, maxShrink: 1, allowShrink: true });
      mirroring.catch(() => undefined);
      while (!(await waiting("locktype = 'advisory'"))) await sleep(20);
      const updating = schema.client.query("UPDATE venues SET name = 'late' WHERE id = 1");
      const updated: string[] = [];
      void updating.then(() => updated.push('while the tables were compared'));
      while (updated.length === 0 && !(await waiting("relation = to_regclass('venues')"))) await sleep(20);
      expect(updated).toEqual([]);
      return [mirroring, updating];
    });
    await Promise.all([mirror, update]);
    expect(await schema.client.query('SELECT id::int, name FROM venues')).toEqual([{ id: 2, name: 'Main stage' }]);
  });
});

describe('a user who', () => {
  /** The address of a role of its own, with some rights. */
  async function roleOn(schema: OwnSchema, grants: string): Promise<string> {
    const role = `writer_${schema.name}`;
    await schema.client.query(
      `CREATE ROLE ${role} LOGIN; GRANT USAGE ON SCHEMA ${schema.name} TO ${role}; ${grants.replaceAll('ROLE', role)}`,
    );
    onTestFinished(async () => {
      await schema.client.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
      await schema.drop();
    });
    return schema.url.replace('postgres@', `${role}@`);
  }

  test('may make no tables', async () => {
    const schema = await newSchema();
    const url = await roleOn(schema, '');
    await expect(imported(url, inputOf(venue(1)))).rejects.toMatchObject({
      code: 'database-not-writable',
      message: expect.stringContaining('permission denied for schema') as string,
      hint: expect.stringContaining('GRANT CREATE ON SCHEMA') as string,
    });
  });

  test('may only read', async () => {
    const schema = await readySchema();
    const url = await roleOn(schema, `GRANT SELECT ON ALL TABLES IN SCHEMA ${schema.name} TO ROLE`);
    await expect(imported(url, inputOf(venue(1)))).rejects.toMatchObject({
      code: 'database-not-writable',
      message: expect.stringMatching(/permission denied for table venues; nothing is changed$/) as string,
      hint: expect.stringContaining('GRANT SELECT, INSERT') as string,
    });
    const keys = await playbillProcess(['keys', 'revoke', 'k', '--db', url, '--out', temporaryFolder()]);
    expect(keys.stderr).toContain('error database-not-writable: ');
  });

  test('may write, but not delete', async () => {
    const schema = await readySchema();
    const url = await roleOn(schema, `GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA ${schema.name} TO ROLE`);
    await imported(url, inputOf(venue(1)));
    await expect(
      mirrorRows(inputOf(venue(2)), { databasePath: url, maxShrink: 1, allowShrink: true }),
    ).rejects.toMatchObject({ code: 'database-not-writable' });
    expect(await venuesIn(schema)).toBe(1);
  });

  test('reads only', async () => {
    await using schema = await readySchema();
    const url = `${schema.url}%20-c%20default_transaction_read_only%3Don`;
    await expect(imported(url, inputOf(venue(1)))).rejects.toMatchObject({
      code: 'database-not-writable',
      message: expect.stringContaining('in a read-only transaction; nothing is changed') as string,
      hint: expect.stringContaining('not a standby') as string,
    });
  });

  test('has no room left', async () => {
    await using schema = await readySchema();
    await schema.client.query(`CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$;
      CREATE TRIGGER full_disk BEFORE INSERT ON venues FOR EACH ROW EXECUTE FUNCTION full_disk()`);
    await expect(imported(schema.url, inputOf(venue(1)))).rejects.toMatchObject({
      code: 'database-not-writable',
      hint: expect.stringContaining('room') as string,
    });
  });
});

test('a disk that is really full: nothing is changed, and there is room again for the next import', async () => {
  const folder = serverFolder('small-disk');
  if (!mountMemory(folder, 'size=4m')) return;
  giveToServer(folder);
  await using cluster = await Cluster.start();
  await new SchemaClient(cluster.url).query(`CREATE TABLESPACE small LOCATION '${folder}'`);
  await using schema = await newSchema(cluster.url);
  const url = `${schema.url}%20-c%20default_tablespace%3Dsmall`;
  await imported(url, inputOf(venue(1)));
  const many = Array.from({ length: 100_000 }, (_, i) => venue(i + 2)).join('');
  const refused = {
    code: 'database-not-writable',
    message: expect.stringContaining('No space left on device; nothing is changed') as string,
    hint: expect.stringContaining("make room on the server's disk") as string,
  };
  await expect(imported(url, inputOf(many))).rejects.toMatchObject(refused);
  expect(await venuesIn(schema)).toBe(1);
  expect(spawnSync('mount', ['-o', 'remount,size=64m', folder]).status).toBe(0);
  await imported(url, inputOf(many));
  expect(await venuesIn(schema)).toBe(100_001);
});

/** Passes bytes between clients and a server, and is asked about every byte that a client sends. */
async function proxyTo(target: string, onBytes: (total: number, cut: () => void) => void): Promise<string> {
  let total = 0;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(new URL(target).port), '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
    const cut = (): void => {
      client.destroy();
      upstream.destroy();
    };
    client.on('data', (bytes: Buffer) => {
      total += bytes.length;
      upstream.write(bytes);
      onBytes(total, cut);
    });
    client.on('close', cut);
    upstream.on('data', (bytes: Buffer) => client.write(bytes));
    upstream.on('close', cut);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = new URL(target);
  address.port = String((server.address() as AddressInfo).port);
  return address.href;
}

describe('a connection that breaks', () => {
  test('in the middle: an error, and nothing is changed', async () => {
    await using schema = await readySchema();
    let cutNow = (): void => undefined;
    const url = await proxyTo(schema.url, (_total, cut) => (cutNow = cut));
    await expect(
      imported(
        url,
        during(async () => cutNow()),
      ),
    ).rejects.toMatchObject({ code: 'database-unreachable' });
    expect(await venuesIn(schema)).toBe(0);
  });

  test('by an administrator: busy', async () => {
    await using schema = await readySchema();
    const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = 'playbill' AND query LIKE '%"${schema.name}"."venues"%'`;
    await expect(
      imported(
        schema.url,
        during(() => schema.client.query(end)),
      ),
    ).rejects.toMatchObject({
      code: expect.stringMatching(/^database-(busy|unreachable)$/) as string,
    });
    expect(await venuesIn(schema)).toBe(0);
  });

  test('in the COMMIT: nobody says that nothing is changed', async () => {
    await using schema = await readySchema();
    let isLast = false;
    const url = await proxyTo(schema.url, (_total, cut) => {
      if (isLast) cut();
    });
    const real = Reflect.get(pg.Client.prototype, 'query') as (...args: unknown[]) => unknown;
    onTestFinished(() => void Reflect.set(pg.Client.prototype, 'query', real));
    Reflect.set(pg.Client.prototype, 'query', function (this: pg.Client, ...args: unknown[]) {
      isLast ||= args[0] === 'commit';
      return Reflect.apply(real, this, args);
    });
    await expect(imported(url, inputOf(venue(1)))).rejects.toMatchObject({
      code: 'database-unreachable',
      message: expect.stringMatching(
        /^expected an answer to COMMIT from .*; either everything is changed or nothing$/,
      ) as string,
    });
  });
});

const KILLS = IS_SOAK ? 20 : 6;

test.each(['import', 'mirror'] as const)('an %s that is killed leaves what was, or everything', async (how) => {
  const folder = temporaryFolder();
  // More sessions than an import sends at once.
  const size = { fronts: ['alpha', 'bravo'], productsPerFront: 40, sessionsPerProduct: 6 };
  const rows = smallCatalogue({ ...size, edition: 'x' });
  const before = rows.filter(({ table }) => how === 'mirror' && TABLE_NAMES.findIndex((name) => name === table) < 5);
  const file = join(folder, 'rows.ndjson');
  writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const words = (url: string): readonly string[] => [
    'import',
    ...(how === 'mirror' ? ['--mirror'] : []),
    file,
    '--db',
    url,
  ];
  const beforeText = before.map((row) => `${JSON.stringify(row)}\n`).join('');
  await using whole = await readySchema();
  await imported(whole.url, inputOf(beforeText));
  const beforeRows = await exported(whole.url);
  let bytesTotal = 0;
  const counted = await proxyTo(whole.url, (total) => (bytesTotal = total));
  expect((await playbillProcess(words(counted))).status).toBe(0);
  const afterRows = await exported(whole.url);
  expect(afterRows).not.toBe(beforeRows);

  const seen = new Set<string>();
  for (let i = 0; i < KILLS; i++) {
    await using schema = await readySchema();
    await imported(schema.url, inputOf(beforeText));
    // From the first of its bytes to the last ones, which are the COMMIT and the goodbye.
    const killAt = i < KILLS - 4 ? Math.ceil((bytesTotal * (i + 1)) / (KILLS - 3)) : bytesTotal - (KILLS - i - 1) * 8;
    let child: ReturnType<typeof spawn> | undefined;
    const url = await proxyTo(schema.url, (total) => {
      if (total >= killAt) child?.kill('SIGKILL');
    });
    child = spawn(process.execPath, [compiledCommand(), ...words(url)], { stdio: 'ignore' });
    await new Promise((resolve) => child?.on('close', resolve));
    const found = await exported(schema.url);
    expect([beforeRows, afterRows], `killed after ${killAt} of ${bytesTotal} bytes`).toContain(found);
    seen.add(found === afterRows ? 'after' : 'before');
    // The server may still be at the last statement of the killed one; what is done after it comes
    // after that.
    const again = await playbillProcess(how === 'mirror' ? words(schema.url) : [...words(schema.url), '--replace']);
    expect(again, again.stderr).toMatchObject({ status: 0 });
    expect(await exported(schema.url)).toBe(afterRows);
  }
  expect(seen).toContain('before');
});
