// Schemas of a test's own in the server at hand: the cluster of the run under `npm run test:all`,
// and PGlite under `npm test`.

import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { PgliteServer } from './pglite-server.ts';
import { sharedClusterUrl } from './shared-cluster.ts';

let starting: Promise<string> | undefined;

/** The address of the server at hand. PGlite starts once in each process, and ends with it. */
export function serverUrl(): Promise<string> {
  starting ??= findServer();
  return starting;
}

async function findServer(): Promise<string> {
  const url = await sharedClusterUrl();
  if (url !== null) return url;
  const server = await PgliteServer.start();
  server.unref();
  return server.url;
}

/**
 * Queries in a schema, each session on a connection of its own that ends with it: PGlite lets in
 * one at a time, so that a connection held open would keep out the command under test. While that
 * holds one, a query here waits for its end.
 */
export class SchemaClient {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  /** One query, or several statements without values. @returns its rows, by column */
  async query(text: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
    return this.session(async (client) => {
      const { rows } = await client.query<Record<string, unknown>>(text, values.length === 0 ? undefined : [...values]);
      return rows;
    });
  }

  async session<T>(use: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = new pg.Client({ connectionString: this.#url });
    await client.connect();
    try {
      return await use(client);
    } finally {
      await client.end();
    }
  }
}

export interface OwnSchema extends AsyncDisposable {
  readonly name: string;
  /** For `--db`: its search_path is this schema alone. */
  readonly url: string;
  readonly client: SchemaClient;
  /** Removes it with all that is in it. Disposal does the same. */
  drop(): Promise<void>;
}

/** A fresh schema, in the server at hand where no other is named. */
export async function newSchema(server?: string): Promise<OwnSchema> {
  const root = server ?? (await serverUrl());
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const admin = new SchemaClient(root);
  await admin.query(`CREATE SCHEMA ${name}`);
  const drop = async (): Promise<void> => {
    await admin.query(`DROP SCHEMA IF EXISTS ${name} CASCADE`);
  };
  const url = `${root}${root.includes('?') ? '&' : '?'}options=-csearch_path%3D${name}`;
  return { name, url, client: new SchemaClient(url), drop, [Symbol.asyncDispose]: drop };
}
