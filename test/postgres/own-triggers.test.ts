// What an operator's triggers, rules and row security do to writes: nobody says that something is
// written which is not, and triggers find the operator's tables as they are without us.

import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { revokeKey, storeKey } from '../../src/database/write/front-keys.ts';
import { importRows } from '../../src/database/write/import-rows.ts';
import { mirrorRows } from '../../src/database/write/mirror-rows.ts';
import { TABLE_NAMES } from '../../src/database/contract/tables.ts';
import { goodCatalogue, GOOD_ROWS } from '../support/database-rows.ts';
import { createShape, refillCatalogue } from '../support/postgres/copy.ts';
import { newSchema, type OwnSchema } from '../support/postgres/own-schema.ts';
import { exported, inputOf } from '../support/random-mirrors.ts';
import { temporaryFolder } from '../support/trees.ts';

const line = (table: string, row: object): string => `${JSON.stringify({ table, row })}\n`;
const tag = (id: number, slug = `t${id}`): string => line('tags', { id, slug, name: 'T' });
const FEED = TABLE_NAMES.map((table) => line(table, GOOD_ROWS[table])).join('');
const KEYLESS = FEED.replace(/^.*"table":"front_keys".*\n/m, '');

/** A catalogue with the good rows, in SQLite. */
function goodPath(sql: string): string {
  const path = join(temporaryFolder(), 'good.sqlite');
  const database = goodCatalogue(path, false);
  database.exec(sql);
  database.close();
  return path;
}

/** The same in PostgreSQL. */
async function goodSchema(sql: string): Promise<OwnSchema> {
  const schema = await newSchema();
  onTestFinished(() => schema.drop());
  await createShape(schema, 'contract');
  await refillCatalogue(goodPath(''), schema, 'contract');
  await schema.client.query(sql);
  return schema;
}

/** A trigger of PostgreSQL. */
const trigger = (when: string, body: string): string =>
  `CREATE FUNCTION own() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body} END $$;
   CREATE TRIGGER own ${when} FOR EACH ROW EXECUTE FUNCTION own()`;

const imported = (databasePath: string, text: string, isReplacing = false) =>
  importRows(inputOf(text), { databasePath, isReplacing });
const mirrored = (databasePath: string, text: string) =>
  mirrorRows(inputOf(text), { databasePath, maxShrink: 1, allowShrink: true });

/** What is refused, and changes nothing. */
async function refusalOf(path: string, work: () => Promise<unknown>): Promise<unknown> {
  const before = await exported(path);
  const error: unknown = await work().then(
    () => 'not refused',
    (thrown: unknown) => thrown,
  );
  expect(await exported(path)).toBe(before);
  return error;
}

const KEY = {
  keyid: 'new',
  alg: 'hmac-sha256',
  publicKey: null,
  secretRef: 'NEW',
  notBefore: null,
  notAfter: null,
} as const;

describe('a key that something keeps as it was is not reported as changed:', () => {
  const refused = { code: 'database-not-writable', message: expect.stringContaining('as it was written') as string };

  test.each([
    ['a trigger', trigger('BEFORE INSERT OR UPDATE ON front_keys', 'RETURN NULL;')],
    [
      'a rule',
      `CREATE RULE a AS ON UPDATE TO front_keys DO INSTEAD NOTHING; CREATE RULE b AS ON INSERT TO front_keys DO INSTEAD NOTHING`,
    ],
    [
      'another value',
      trigger('BEFORE INSERT OR UPDATE ON front_keys', `new.revoked_at := '2000-01-01T00:00:00Z'; RETURN new;`),
    ],
  ])('%s', async (_what, sql) => {
    const { url } = await goodSchema(sql);
    expect(await refusalOf(url, () => revokeKey(url, 'moscow-1', '2026-05-01T09:00:00Z'))).toMatchObject(refused);
    expect(await refusalOf(url, () => storeKey(url, 'moscow', KEY))).toMatchObject(refused);
  });

  test('a trigger of SQLite', async () => {
    const path = goodPath(`CREATE TRIGGER a BEFORE UPDATE ON front_keys BEGIN SELECT RAISE(IGNORE); END;
      CREATE TRIGGER b BEFORE INSERT ON front_keys BEGIN SELECT RAISE(IGNORE); END`);
    expect(await refusalOf(path, () => revokeKey(path, 'moscow-1', '2026-05-01T09:00:00Z'))).toMatchObject(refused);
    expect(await refusalOf(path, () => storeKey(path, 'moscow', KEY))).toMatchObject(refused);
  });
});

test('a key in columns of other types is what was written', async () => {
  const schema = await newSchema();
  onTestFinished(() => schema.drop());
  await createShape(schema, 'native');
  await refillCatalogue(goodPath(''), schema, 'native');
  await storeKey(schema.url, 'moscow', { ...KEY, notBefore: '2026-05-01T09:00:00Z' });
  expect(await revokeKey(schema.url, 'new', '2026-05-02T09:00:00Z')).toBe('2026-05-02T09:00:00Z');
});

describe('a row that is not written is refused, by its line:', () => {
  const ignored = (place: string): object => ({
    code: 'import-row-refused',
    message: expect.stringMatching(
      new RegExp(`^feed:${place}: expected a table "tags" that takes the row, found: no error`),
    ) as string,
    hint: expect.stringContaining('row security of your own on "tags"') as string,
  });

  test.each([
    ['a trigger', trigger('BEFORE INSERT ON tags', 'IF new.id = 51 THEN RETURN NULL; END IF; RETURN new;')],
    ['a rule', 'CREATE RULE own AS ON INSERT TO tags WHERE new.id = 51 DO INSTEAD NOTHING'],
  ])('%s', async (_what, sql) => {
    const { url } = await goodSchema(sql);
    expect(await refusalOf(url, () => imported(url, tag(50) + tag(51)))).toMatchObject(ignored('2'));
    expect(await refusalOf(url, () => mirrored(url, FEED + tag(51)))).toMatchObject(ignored('22'));
  });

  test('a trigger of SQLite', async () => {
    const path = goodPath('CREATE TRIGGER own BEFORE INSERT ON tags WHEN new.id = 51 BEGIN SELECT RAISE(IGNORE); END');
    expect(await refusalOf(path, () => imported(path, tag(50) + tag(51)))).toMatchObject(ignored('2'));
    expect(await refusalOf(path, () => mirrored(path, FEED + tag(51)))).toMatchObject(ignored('22'));
  });

  test('but not one that is there, where --replace has nothing to replace', async () => {
    const link = line('product_tags', GOOD_ROWS.product_tags);
    for (const path of [(await goodSchema('')).url, goodPath('')])
      expect(await imported(path, link, true)).toMatchObject({ rows: { product_tags: 1 } });
  });

  test('row security that lets rows be read', async () => {
    const schema = await goodSchema('');
    const role = `reader_${schema.name}`;
    await schema.client.query(`CREATE ROLE ${role} LOGIN; GRANT USAGE ON SCHEMA ${schema.name} TO ${role};
      GRANT ALL ON ALL TABLES IN SCHEMA ${schema.name} TO ${role}; ALTER TABLE tags ENABLE ROW LEVEL SECURITY;
      CREATE POLICY own ON tags FOR SELECT USING (true)`);
    onTestFinished(() => schema.client.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`).then(() => undefined));
    const url = schema.url.replace('postgres@', `${role}@`);
    const text = FEED.replace('"name":"Classics"', '"name":"Other"');
    expect(await refusalOf(schema.url, () => mirrored(`${url}&row_security=filter`, text))).toMatchObject(
      ignored('17'),
    );
    // Unless the address says so, nothing is written that a policy has a say in.
    const refused = { code: 'database-row-security', message: expect.stringContaining('table "tags"') as string };
    expect(await refusalOf(schema.url, () => mirrored(url, text))).toMatchObject(refused);
    expect(await refusalOf(schema.url, () => imported(url, tag(50)))).toMatchObject(refused);
  });
});

describe('a row that a trigger changes is no mirror of the input:', () => {
  const refused = {
    code: 'import-row-refused',
    message: 'feed:17: expected a table "tags" that keeps the row as it is, found it otherwise when all was written',
  };
  const text = FEED.replace('"name":"Classics"', '"name":"Other"');

  test('in PostgreSQL', async () => {
    const { url } = await goodSchema(trigger('BEFORE UPDATE ON tags', 'RETURN old;'));
    expect(await refusalOf(url, () => mirrored(url, text))).toMatchObject(refused);
  });

  test('in SQLite', async () => {
    const path = goodPath(`CREATE TRIGGER own AFTER UPDATE ON tags WHEN new.name = 'Other'
      BEGIN UPDATE tags SET name = 'Classics' WHERE id = new.id; END`);
    expect(await refusalOf(path, () => mirrored(path, text))).toMatchObject(refused);
  });
});

test("while a mirror writes, triggers find the operator's tables, and front_keys are locked also where they are left alone", async () => {
  const schema = await goodSchema(`CREATE TABLE seen (tags regclass, first text, total int, locked bool);
    ${trigger(
      'AFTER INSERT ON venues',
      `INSERT INTO seen SELECT 'tags'::regclass, (current_schemas(true))[1], (SELECT count(*) FROM tags), EXISTS (SELECT 1
         FROM pg_locks WHERE relation = 'front_keys'::regclass AND mode = 'ShareRowExclusiveLock' AND pid = pg_backend_pid());
       RETURN new;`,
    )}`);
  for (const [url, id] of [
    [schema.url, 50],
    [`${schema.url},pg_temp`, 51],
  ] as const) {
    await mirrored(url, KEYLESS + line('venues', { id, name: 'V', timezone: 'UTC' }) + tag(50) + tag(51));
    const [row] = await schema.client.query(
      `DELETE FROM seen RETURNING tags::oid = '${schema.name}.tags'::regclass::oid AS tags, total, locked`,
    );
    // Venues come before tags.
    expect(row).toEqual({ tags: true, total: id === 50 ? 1 : 3, locked: true });
  }
});

test.each([
  ['SH001', 'by a trigger'],
  ['42725', 'ambiguous'],
  ['40P99', null],
])(
  'an error %s that a trigger raises is that of its row, where it is not one of the server itself',
  async (code, message) => {
    const { url } = await goodSchema(
      trigger(
        'BEFORE INSERT ON tags',
        `IF new.id = 51 THEN RAISE EXCEPTION '${message ?? 'x'}' USING ERRCODE = '${code}'; END IF; RETURN new;`,
      ),
    );
    expect(await refusalOf(url, () => imported(url, tag(50) + tag(51)))).toMatchObject(
      message === null
        ? { code: 'database-unreadable' }
        : {
            code: 'import-row-refused',
            message: `feed:2: expected a row that the database accepts, found: ${message}`,
          },
    );
  },
);

test('a statement that is ended while it writes is said to write', async () => {
  const { url } = await goodSchema(trigger('BEFORE INSERT ON tags', 'PERFORM pg_sleep(60); RETURN new;'));
  const limited = `${url}%20-c%20statement_timeout%3D100`;
  expect(await refusalOf(url, () => imported(limited, tag(50)))).toMatchObject({
    code: 'database-busy',
    message: expect.stringContaining('broke off while rows were written') as string,
  });
});

test.each([
  ['off', 'on'],
  ['remote_write', 'remote_write'],
])('a commit with synchronous_commit = %s is %s: what is reported survives', async (own, effective) => {
  const schema = await goodSchema(`CREATE TABLE seen (value text);
    ${trigger('AFTER INSERT ON tags', `INSERT INTO seen SELECT current_setting('synchronous_commit'); RETURN new;`)}`);
  await imported(`${schema.url}%20-c%20synchronous_commit%3D${own}`, tag(50));
  expect(await schema.client.query('SELECT value FROM seen')).toEqual([{ value: effective }]);
});
