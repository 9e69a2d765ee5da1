// Row-level security: a policy that hides rows from the role that reads is no smaller catalogue,
// unless the address says that it is.

import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { playbill } from '../support/cli/run.ts';
import { copyCatalogue } from '../support/postgres/copy.ts';
import { newSchema, type OwnSchema } from '../support/postgres/own-schema.ts';
import { catalogueAt, filesOf, temporaryFolder, temporaryFolderOfFile } from '../support/trees.ts';

const folder = temporaryFolderOfFile();
let schema: OwnSchema;
/** A role that may read everything, but for policies. */
let reader: string;
beforeAll(async () => {
  const rows = smallCatalogue({ fronts: ['alpha'], productsPerFront: 3, sessionsPerProduct: 1, edition: 'x' });
  schema = await newSchema();
  await copyCatalogue(catalogueAt(join(folder, 'small.sqlite'), rows), schema, 'contract');
  reader = `reader_${schema.name}`;
  await schema.client.query(`CREATE ROLE ${reader}; GRANT USAGE, CREATE ON SCHEMA ${schema.name} TO ${reader};
    GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA ${schema.name} TO ${reader}`);
});
afterAll(async () => {
  await schema.drop();
  await schema.client.query(`DROP OWNED BY ${reader}; DROP ROLE ${reader}`);
});

const asReader = (): string => `${schema.url}%20-crole%3D${reader}`;

/** Policies that hide all price tiers from everybody whom policies concern, until the test ends. */
async function hidingTiers(more = ''): Promise<void> {
  await schema.client.query(`ALTER TABLE price_tiers ENABLE ROW LEVEL SECURITY; ${more};
    CREATE POLICY cheap ON price_tiers USING (amount_minor < 0)`);
  onTestFinished(async () => {
    const undone = 'DISABLE ROW LEVEL SECURITY, NO FORCE ROW LEVEL SECURITY, OWNER TO CURRENT_USER';
    await schema.client.query(`DROP POLICY cheap ON price_tiers; ALTER TABLE price_tiers ${undone};
      GRANT SELECT, INSERT, UPDATE ON price_tiers TO ${reader}`);
  });
}

const built = (db: string, out: string) =>
  playbill(['build', '--db', db, '--out', out, '--now', NOW, '--allow', 'max-shrink', 'min-cards']);

test('a policy that hides rows is an error of its own, which publishes nothing, and says how to build the rest', async () => {
  const [out, filtered] = [join(temporaryFolder(), 'out'), join(temporaryFolder(), 'filtered')];
  expect(await built(asReader(), out)).toMatchObject({ status: 0 });
  const before = filesOf(out);
  await hidingTiers();
  const run = await built(asReader(), out);
  expect(run.status).toBe(2);
  expect(run.stderr).toMatch(
    /^error database-row-security: expected to see all rows at .*, found a policy that may hide some: .*"price_tiers"\n/,
  );
  expect(filesOf(out)).toEqual(before);
  // The hint names first what can be typed.
  const [, typed = ''] = /\n {2}hint: [^:]*: --db '([^']*)'; otherwise ALTER ROLE … BYPASSRLS/.exec(run.stderr) ?? [];
  expect(typed).toBe(`${asReader()}&row_security=filter`);
  expect(await built(typed, filtered)).toMatchObject({ status: 0, stderr: '' });
  expect(filesOf(filtered)).not.toEqual(before);
  // Who is above policies sees all.
  const all = join(temporaryFolder(), 'all');
  expect(await built(schema.url, all)).toMatchObject({ status: 0 });
  expect(filesOf(all)).toEqual(before);
});

test.each([
  ['check-db'],
  ['explain', '--front', 'alpha', '--product', 'p-1', '--at', NOW],
  ['export'],
  ['export', '--front', 'alpha'],
])('%s is refused as well', async (...words) => {
  await hidingTiers();
  const { status, stderr } = await playbill([...words, '--db', asReader()]);
  expect(stderr).toContain('error database-row-security: ');
  expect(status).toBe(2);
});

test('an owner whom a policy is forced on is refused, too', async () => {
  await hidingTiers(`ALTER TABLE price_tiers FORCE ROW LEVEL SECURITY; ALTER TABLE price_tiers OWNER TO ${reader}`);
  const out = join(temporaryFolder(), 'out');
  expect((await built(asReader(), out)).stderr).toContain('error database-row-security: ');
  expect(await built(`${asReader()}&row_security=filter`, out)).toMatchObject({ status: 0 });
});

test('so is a view with the rights of who reads it; one with those of its owner shows what the owner sees', async () => {
  await hidingTiers();
  await schema.client.query('ALTER TABLE price_tiers RENAME TO tariffs');
  onTestFinished(async () => {
    await schema.client.query('DROP VIEW price_tiers; ALTER TABLE tariffs RENAME TO price_tiers');
  });
  const view = 'CREATE OR REPLACE VIEW price_tiers WITH (security_invoker = WHETHER) AS SELECT * FROM tariffs';
  const grant = `GRANT SELECT ON price_tiers TO ${reader}`;
  await schema.client.query(`${view.replace('WHETHER', 'true')}; ${grant}`);
  const run = await built(asReader(), join(temporaryFolder(), 'out'));
  expect(run.stderr).toMatch(/error database-row-security: .*"tariffs"/);
  await schema.client.query(`${view.replace('WHETHER', 'false')}; ${grant}`);
  expect(await built(asReader(), join(temporaryFolder(), 'out'))).toMatchObject({ status: 0 });
});

test('a policy that does not concern the tables of the catalogue does no harm', async () => {
  await schema.client.query(`CREATE TABLE own (id int); ALTER TABLE own ENABLE ROW LEVEL SECURITY`);
  expect(await built(asReader(), join(temporaryFolder(), 'out'))).toMatchObject({ status: 0 });
});

test('row_security has one value', async () => {
  const { status, stderr } = await playbill(['check-db', '--db', `${schema.url}&row_security=on`]);
  expect(stderr).toBe(
    'error database-unreadable: expected row_security to be filter, or not given, found "on"\n' +
      '  hint: to see only the rows that policies show: row_security=filter\n',
  );
  expect(status).toBe(2);
});
