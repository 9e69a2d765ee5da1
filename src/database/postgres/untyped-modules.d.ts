// Modules of PostgreSQL's packages that bring no types for them.

declare module 'pg/lib/client.js' {
  import { Client } from 'pg';

  export default Client;
}

declare module 'pgpass' {
  interface Server {
    readonly host: string | undefined;
    readonly port: number | undefined;
    readonly database: string | undefined;
    readonly user: string | undefined;
  }
  /**
   * Calls back with the password of the first line that fits, or with undefined. Reports a file
   * that others may read on stderr, and skips it.
   */
  export default function pgpass(server: Server, done: (password: string | undefined) => void): void;
}
