// Loads products and their child rows, a batch of products at a time, each table once for all
// fronts. Reads only what can matter: sessions that may still be sold after `now`, and of products
// that no front shows only their own rows.

import { setImmediate } from 'node:timers/promises';
import { isAnyOfferedOn } from '../../catalogue/selling.ts';
import type { FrontTerms, Product } from '../../catalogue/product.ts';
import { isIdBefore, otherTypeOf, type RowId } from '../../catalogue/row-id.ts';
import type { Finding } from '../../findings.ts';
import { FrontTermRows } from './load-front-terms.ts';
import { GroupStream } from './group-stream.ts';
import type { Group, GroupRange, IdRange } from './groups.ts';
import type { CatalogueReader } from '../reader.ts';
import { ProductMaker, type ProductContext, type ReferringRows } from './product-maker.ts';
import {
  CHILD_TABLES,
  childGrouping,
  CHILDREN,
  IMAGE,
  PRODUCT,
  orphanTiersQuery,
  PRODUCT_IDS,
  PRODUCTS_TOTAL,
  productQuery,
  SESSION_IDS,
  TIER,
  type ChildTable,
} from './product-queries.ts';
import { withSessionTotals } from './session-totals.ts';
import { LOCATED_TIER } from '../contract/query-builders.ts';
import { dangling, FindingLog, locationOfKey, parseId } from '../contract/row-checker.ts';

/** By table and product id. */
type ChildRows = ReadonlyMap<ChildTable, ReadonlyMap<unknown, Group>>;

/** Products that are wanted. */
interface SortedProducts {
  /** Those that have a card now on every front, if they are attached to it. */
  readonly offered: readonly Product[];
  /** The others, whose sessions have to be counted. */
  readonly others: readonly Product[];
}

/** What is read of the products. */
export interface ProductPart {
  /** Those whose child rows are read, ascending; all that are wanted are among them. */
  readonly ranges: readonly GroupRange[];
  /** The log for what is wrong with the rows of a product. */
  readonly logOf: (productId: number | undefined) => FindingLog;
  /** Whether to look for tiers of sessions that are not their product's. */
  readonly findsStrays: boolean;
}

/** Sessions that tiers of another product name: the finding in such a tier, by session; and their products. */
export interface SpoiledSessions {
  readonly findings: ReadonlyMap<RowId, Finding>;
  readonly productIds: ReadonlySet<number>;
}

const SESSION_OF_TIER = TIER.columns.indexOf('session_id');

/** How many products one query counts. */
const COUNTED_TOGETHER = 400;

/**
 * Bounds the rows in memory at one time. Measured: with 100 some builds take 40 MB more, and none
 * is faster.
 */
const PRODUCTS_PER_BATCH = 50;

/** The products that fronts show, by id. */
export class ProductLoad {
  readonly #reader: CatalogueReader;
  readonly #context: ProductContext;
  /** Sessions that tiers of another product name, noted by `noteOrphanTiers`. */
  readonly #spoiledSessions: Map<RowId, Finding>;
  /** Of the current call, for rows of no product. */
  #log: FindingLog;
  /** Likewise, for those of a product. */
  #logOf: (productId: number | undefined) => FindingLog = () => this.#log;
  readonly #maker: ProductMaker;
  /** Loaded once, by the first call that needs them. */
  #terms: Promise<FrontTermRows> | null = null;
  /** Whether a tier was seen of a session that is not its product's. */
  hasStrays = false;

  constructor(reader: CatalogueReader, context: ProductContext) {
    this.#reader = reader;
    this.#context = context;
    this.#spoiledSessions = new Map(context.spoiledSessions);
    this.#maker = new ProductMaker({ ...context, spoiledSessions: this.#spoiledSessions });
    this.#log = new FindingLog(reader);
  }

  /**
   * Ids of all products, bad ones and those not wanted included: what other tables may refer to.
   */
  async knownIds(): Promise<ReadonlySet<number>> {
    const rows = await this.#reader.rows(PRODUCT_IDS);
    return new Set(rows.flatMap(([id]) => (typeof id === 'number' ? [id] : [])));
  }

  /** How many products there are, bad ones and those not wanted included. */
  async total(): Promise<number> {
    const [[total] = []] = await this.#reader.rows(PRODUCTS_TOTAL);
    return Number(total);
  }

  /**
   * All wanted products, in batches of `read` rows of products each, and in between those whose
   * sessions have to be counted. Child rows without a product are reported on the way.
   */
  async *batches(
    log: FindingLog,
    { ranges, logOf, findsStrays }: ProductPart,
  ): AsyncGenerator<{ readonly products: readonly Product[]; readonly read: number }> {
    this.#log = log;
    this.#logOf = logOf;
    await this.#loadedTerms();
    const streams = CHILD_TABLES.map((table) => [table, new GroupStream(this.#groupsIn(table, ranges))] as const);
    const ids = findsStrays ? new GroupStream(this.#reader.groups(SESSION_IDS, 'any', PRODUCTS_PER_BATCH)) : null;
    const childrenUpTo = async (id: unknown): Promise<ChildRows> => {
      const children = new Map<ChildTable, ReadonlyMap<unknown, Group>>();
      for (const [table, stream] of streams) children.set(table, await stream.upTo(id));
      if (ids === null) return children;
      const tiers = parsedOnce(children.get('price_tiers') ?? new Map());
      this.#lookForStrays(tiers, await ids.upTo(id));
      return children.set('price_tiers', tiers);
    };
    const waiting: Product[] = [];
    try {
      for await (const rows of this.#reader.batches(productQuery(this.#reader, null), PRODUCTS_PER_BATCH)) {
        const children = await childrenUpTo(rows.at(-1)?.[0]);
        // Sends the requests for the next batches, so that a server works on them while these are
        // rendered. It also lets the lease of a bucket be renewed.
        await setImmediate();
        const { offered, others } = await this.#productsOf(rows, children);
        yield { products: offered, read: rows.length };
        waiting.push(...others);
        if (waiting.length >= COUNTED_TOGETHER)
          yield { products: await withSessionTotals(this.#reader, waiting.splice(0)), read: 0 };
      }
      await this.#productsOf([], await childrenUpTo(undefined));
      yield { products: await withSessionTotals(this.#reader, waiting), read: 0 };
    } finally {
      for (const [, stream] of streams) await stream.close();
      await ids?.close();
    }
  }

  /**
   * The wanted products among some; one query for each, and each table. Mistyped ids are looked at
   * as well.
   */
  async *withIds(ids: readonly number[], log: FindingLog): AsyncGenerator<Product> {
    const ranges = [...ids.map((only): IdRange => ({ only })), 'mistyped' as const];
    for (const range of ranges) yield* await this.#productsIn(range, log);
  }

  /** One product, if it is wanted and good. */
  async withId(id: number, log: FindingLog): Promise<Product | undefined> {
    const [product] = await this.#productsIn({ only: id }, log);
    return product;
  }

  async #productsIn(range: IdRange, log: FindingLog): Promise<readonly Product[]> {
    this.#log = log;
    await this.#loadedTerms();
    const children = new Map<ChildTable, ReadonlyMap<unknown, Group>>();
    for (const table of CHILD_TABLES) {
      const stream = new GroupStream(this.#groups(table, range, PRODUCTS_PER_BATCH));
      children.set(table, await stream.upTo(undefined));
    }
    const { offered, others } = await this.#productsOf(
      await this.#reader.rows(productQuery(this.#reader, range)),
      children,
    );
    return [...offered, ...(await withSessionTotals(this.#reader, others))];
  }

  /** The wanted products of rows, with their child rows. Child rows of others are reported. */
  async #productsOf(rows: unknown[][], children: ChildRows): Promise<SortedProducts> {
    await this.#reader.markUndecodable(PRODUCT, rows);
    await this.#reader.markUndecodable(IMAGE, rows, PRODUCT.columns.length);
    const orphans = orphanIds(children, new Set(rows.map(([id]) => id).filter((id) => typeof id === 'number')));
    const { exclusions, allocations, mistyped } = await this.#loadedTerms();
    const referring: ReferringRows = {
      children: (table, id) => rowsOf(children.get(table)?.get(id)),
      exclusions: (id) => exclusions.get(id) ?? [],
      allocations: (id) => allocations.get(id) ?? [],
      mistypedTerms: mistyped,
    };
    const offered: Product[] = [];
    const others: Product[] = [];
    // In the order of ids, orphans included: findings do not depend on where batches begin and end.
    let next = 0;
    for (const row of rows) {
      for (; next < orphans.length && isIdBefore(orphans[next], row[0]); next++) {
        this.#noteOrphansOf(orphans[next], children);
      }
      const product = this.#maker.productOf(row, referring, this.#logOf(parseId(row[0])));
      if (product !== null) (this.#isCounted(product) ? others : offered).push(product);
    }
    for (; next < orphans.length; next++) this.#noteOrphansOf(orphans[next], children);
    return { offered, others };
  }

  #loadedTerms(): Promise<FrontTermRows> {
    return (this.#terms ??= FrontTermRows.load(this.#reader));
  }

  async *#groupsIn(table: ChildTable, ranges: readonly GroupRange[]): AsyncGenerator<Group[]> {
    for (const range of ranges) yield* this.#groups(table, range, PRODUCTS_PER_BATCH);
  }

  #groups(table: ChildTable, range: GroupRange, groupsPerBatch: number): AsyncGenerator<Group[]> {
    return this.#reader.groups(childGrouping(table, this.#reader, this.#context), range, groupsPerBatch);
  }

  /**
   * Reports what concerns no product: rows without a product id, exclusions and contingents without
   * a session.
   */
  async noteOrphanRows(log: FindingLog): Promise<void> {
    this.#log = log;
    const { orphans } = await this.#loadedTerms();
    for (const table of CHILD_TABLES) {
      for await (const [group] of this.#groups(table, 'null', 1)) {
        if (group === undefined) continue;
        this.#noteOrphans(table, group);
        if (table === 'price_tiers') this.#lookForStrays(new Map([[null, group]]), new Map());
      }
    }
    this.#log.add(orphans, {});
  }

  /** Notes that there are such tiers, given those of some products and the ids of their sessions. */
  #lookForStrays(tiers: ReadonlyMap<unknown, Group>, sessions: ReadonlyMap<unknown, Group>): void {
    for (const [productId, group] of tiers) {
      if (this.hasStrays) return;
      const named = rowsOf(group).flatMap((row) => row[SESSION_OF_TIER] ?? []);
      if (named.length === 0) continue;
      const own = new Set(rowsOf(sessions.get(productId)).map(([id]) => id));
      this.hasStrays = !named.every((id) => own.has(id));
    }
  }

  #noteOrphansOf(productId: unknown, children: ChildRows): void {
    for (const [table, groups] of children) {
      const group = groups.get(productId);
      if (group !== undefined) this.#noteOrphans(table, group);
    }
  }

  /**
   * A link that leads nowhere takes out nothing. A session or tier may belong to the product whose
   * id is mistyped in it.
   */
  #noteOrphans(table: ChildTable, group: Group): void {
    const isSold = table === 'sessions' || table === 'price_tiers';
    const productId = isSold && typeof group.id === 'string' ? parseId(group.id) : undefined;
    for (const row of rowsOf(group)) {
      const location = CHILDREN[table].locationOf(row, { product_id: group.id });
      const failed = this.#reader.failedRows.get(location);
      this.#log.add([failed?.finding ?? dangling(location, 'product_id', 'products', group.id)], { productId });
    }
  }

  /**
   * Reports tiers of a session that is not their product's, which spoil that session: without them
   * it would be sold at the default prices. So do those in which its id is of the other type.
   * Products that are made later know the sessions.
   * @returns what it has reported so far of each session, and the products of these sessions
   */
  async noteOrphanTiers(log: FindingLog): Promise<SpoiledSessions> {
    const { failedRows } = this.#reader;
    const productIds = new Set<number>();
    const { withoutForeignKeys } = this.#context;
    if (!withoutForeignKeys.has('sessions') && !withoutForeignKeys.has('price_tiers'))
      return { findings: this.#spoiledSessions, productIds };
    for (const row of await this.#reader.rows(orphanTiersQuery(this.#reader))) {
      const [, , sessionId, , , sessionProductId] = row;
      const location = LOCATED_TIER.locationOf(row);
      // Of which session it is, or of which product that is, cannot be read.
      if (failedRows.has(location) || failedRows.has(locationOfKey('sessions', [sessionId]))) continue;
      const finding = dangling(location, 'session_id', 'sessions of the product', sessionId);
      const sessionOf = parseId(sessionProductId);
      log.add([finding], { sessionOf });
      if (sessionOf !== undefined) productIds.add(sessionOf);
      for (const id of [LOCATED_TIER.valueOf(row, 'session_id'), otherTypeOf(sessionId)])
        if (id !== undefined && id !== null) this.#spoiledSessions.set(id, finding);
    }
    return { findings: this.#spoiledSessions, productIds };
  }

  /**
   * Whether a product may have no card, now on some front or later: how many sessions it has
   * decides which reason that has.
   */
  #isCounted(product: Product): boolean {
    if (this.#context.rowsRead === 'all') return true;
    const { channels, now } = this.#context;
    const isOfferedOn = (terms?: FrontTerms): boolean =>
      channels.every((channel) => isAnyOfferedOn(product, channel, terms, now));
    return product.isPublished && ![undefined, ...product.terms.values()].every(isOfferedOn);
  }
}

/** Groups whose rows are asked for twice. */
function parsedOnce(groups: ReadonlyMap<unknown, Group>): ReadonlyMap<unknown, Group> {
  const once = (group: Group): Group => {
    let rows: readonly unknown[] | undefined;
    return { ...group, rows: () => (rows ??= group.rows()) };
  };
  return new Map([...groups].map(([id, group]) => [id, once(group)]));
}

/** Rows of a group by a grouping without `plain`. */
function rowsOf(group: Group | undefined): unknown[][] {
  return (group?.rows() ?? []) as unknown[][];
}

/** Ids that have child rows but are not known, in the order of databases. */
function orphanIds(children: ChildRows, knownIds: ReadonlySet<unknown>): readonly unknown[] {
  const ids = new Set<unknown>();
  for (const groups of children.values()) for (const id of groups.keys()) if (!knownIds.has(id)) ids.add(id);
  return [...ids].sort((a, b) => (isIdBefore(a, b) ? -1 : 1));
}
