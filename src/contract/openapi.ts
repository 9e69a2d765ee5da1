// The OpenAPI 3.1 document of both operations, generated from the schemas that check the output.
// The caller passes what only the edge rule knows (its refusals) and what only the deployment knows
// (its address).

import * as z from 'zod';
import { categoriesDocumentSchema, productsDocumentSchema } from './documents.ts';
import { CATEGORIES_EXAMPLE, PRODUCTS_EXAMPLE } from './examples.ts';
import { EDITION_HEADERS, RESPONSE_HEADERS, PARAMETERS, SECURITY_SCHEMES } from './http-fields.ts';
import { problemSchema } from './problem.ts';

/** A refusal of the edge rule, as an example. */
export interface RefusalSample {
  readonly status: number;
  readonly reason: string;
  /** When the rule refuses like this. */
  readonly when: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The problem document as it is sent. */
  readonly body: string;
}

type Json = Readonly<Record<string, unknown>>;

/**
 * The document, ready for JSON.stringify. Its examples are real responses from the demo catalogue.
 * @param version the tool's version, which is also the version of the contract
 * @param server everything before `/products/`: a URL without a trailing slash, or `/` if not known
 * @param refusals every refusal of the edge rule
 */
export function openApiDocument(version: string, server: string, refusals: readonly RefusalSample[]): Json {
  return {
    openapi: '3.1.0',
    info: { title: 'Storefront catalogue', version, description: INTRODUCTION },
    servers: [{ url: server }],
    tags: [{ name: 'catalogue', description: 'What a storefront shows, right at the moment of every request' }],
    security: [{ signatureInput: [], signature: [] }],
    paths: {
      '/products/': operations(PRODUCTS, refusals),
      '/fronts/categories/': operations(CATEGORIES, refusals),
    },
    components: {
      schemas: componentSchemas(),
      parameters: PARAMETERS,
      headers: RESPONSE_HEADERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

const INTRODUCTION =
  'Two read operations for one storefront ("front"), which the header X-Front names. Every request is signed (RFC 9421). Responses are ' +
  'static files, chosen by the time of the request: `max-age` ends when the next edition begins, and ETags are stable, so ' +
  'revalidation is cheap. Paths must match exactly, trailing slash included; the query string is ignored. HEAD works like GET, but ' +
  'is signed as HEAD. There is no CORS, because a browser that signs would publish its key.';

const PRODUCTS = {
  name: 'Products',
  summary: "Everything needed to build a front's main page",
  description: 'Product cards, and the categories, groups, tags and badges that go with them, in one call.',
  example: PRODUCTS_EXAMPLE,
};

const CATEGORIES: typeof PRODUCTS = {
  name: 'Categories',
  summary: 'The categories of a front',
  description: 'The categories that are relevant for the front and contain products. Not sorted by id.',
  example: CATEGORIES_EXAMPLE,
};

function operations(
  { name, summary, description, example }: typeof PRODUCTS,
  refusals: readonly RefusalSample[],
): Json {
  const parameters = Object.keys(PARAMETERS).map((parameter) => ref('parameters', parameter));
  const content = {
    'application/json': {
      schema: ref('schemas', `${name}Document`),
      examples: { demo: { value: JSON.parse(example) as unknown } },
    },
  };
  const ok = { description: 'The edition in force.', headers: headerRefs(Object.keys(RESPONSE_HEADERS)) };
  const unchanged = { description: 'If-None-Match names the edition in force.', headers: headerRefs(EDITION_HEADERS) };
  const common = { tags: ['catalogue'], parameters };
  return {
    get: {
      operationId: `get${name}`,
      summary,
      description,
      ...common,
      responses: { 200: { ...ok, content }, 304: unchanged, ...refusalResponses(refusals, true) },
    },
    head: {
      operationId: `head${name}`,
      summary: `${summary}: headers only`,
      ...common,
      responses: { 200: ok, 304: unchanged, ...refusalResponses(refusals, false) },
    },
  };
}

/**
 * One response for each status, with the codes it may have. Refusals look the same for all
 * operations.
 */
function refusalResponses(refusals: readonly RefusalSample[], hasContent: boolean): Json {
  const responses: Record<string, Json> = {};
  for (const status of new Set(refusals.map((refusal) => refusal.status))) {
    const samples = refusals.filter((refusal) => refusal.status === status);
    const codes = samples.map(({ reason }) => reason);
    const headers = (samples[0]?.headers ?? []).filter(([header]) => header !== 'Content-Type');
    const schema = {
      allOf: [
        ref('schemas', 'Problem'),
        { type: 'object', properties: { status: { const: status }, code: { enum: codes } } },
      ],
    };
    const examples = Object.fromEntries(
      samples.map(({ reason, when, body }) => [reason, { summary: when, value: JSON.parse(body) as unknown }]),
    );
    responses[status] = {
      description: samples.map(({ reason, when }) => `\`${reason}\`: ${when}.`).join('\n\n'),
      headers: Object.fromEntries(
        headers.map(([header, value]) => [header, { required: true, schema: { type: 'string', const: value } }]),
      ),
      ...(hasContent ? { content: { 'application/problem+json': { schema, examples } } } : {}),
    };
  }
  return responses;
}

/** The schemas that have a name, with references in the form that OpenAPI requires. */
function componentSchemas(): Json {
  const all = z.strictObject({
    products: productsDocumentSchema,
    categories: categoriesDocumentSchema,
    problem: problemSchema,
  });
  const text = JSON.stringify(z.toJSONSchema(all).$defs).replaceAll('"#/$defs/', '"#/components/schemas/');
  return JSON.parse(text) as Json;
}

const ref = (kind: string, name: string): Json => ({ $ref: `#/components/${kind}/${name}` });

const headerRefs = (names: readonly string[]): Json =>
  Object.fromEntries(names.map((name) => [name, ref('headers', name)]));
