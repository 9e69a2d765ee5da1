// What the package says of other people's code in it: the SBOM and the licences, compared with what
// the bundles contain, as esbuild counts it here once more.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { BUNDLES } from '../../src/edge/targets/targets.ts';
import { compiledPackage } from '../support/compiled.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const textOf = (path: string): string => readFileSync(join(compiledPackage(), path), 'utf8');

const sbomSchema = z.object({
  metadata: z.object({ component: z.object({ name: z.literal('playbill'), version: z.string() }) }),
  components: z.array(
    z.object({
      group: z.string().default(''),
      name: z.string(),
      version: z.string(),
      purl: z.string(),
      licenses: z.array(z.object({ license: z.object({ id: z.string() }) })).min(1),
    }),
  ),
});

const sbom = sbomSchema.parse(JSON.parse(textOf('sbom.cdx.json')));
const components = sbom.components.map(({ group, name, version, licenses }) => ({
  name: group === '' ? name : `${group}/${name}`,
  version,
  licences: licenses.map(({ license }) => license.id),
}));
const { dependencies } = z
  .object({ dependencies: z.record(z.string(), z.string()) })
  .parse(JSON.parse(textOf('package.json')));

/** `name version` of each package with code in a bundle. */
async function bundledPackages(): Promise<string[]> {
  const targets = BUNDLES.map(({ entry }) => join('src/edge/targets', entry));
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['src/cli/main.ts', 'src/operations/exports.ts', 'src/client/client.ts', ...targets],
    bundle: true,
    outdir: 'unused',
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    external: ['better-sqlite3', 'esbuild', 'playbill-secrets.js'],
  });
  const page = await build({
    absWorkingDir: root,
    entryPoints: ['src/preview/page/main.tsx'],
    bundle: true,
    write: false,
    metafile: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
  });
  const outputs = [...Object.values(metafile.outputs), ...Object.values(page.metafile.outputs)];
  const folders = outputs.flatMap(({ inputs }) =>
    Object.keys(inputs).flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []),
  );
  return [...new Set(folders)]
    .map((folder) => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Record<string, string>)
    .map(({ name = '', version = '' }) => `${name} ${version}`)
    .toSorted();
}

test('the SBOM lists what the bundles contain and what the package depends on', async () => {
  const installed = Object.entries(dependencies).map(([name, version]) => `${name} ${version}`);
  expect(installed.length).toBeGreaterThan(0);
  const listed = components.map(({ name, version }) => `${name} ${version}`);
  expect(listed.toSorted()).toEqual([...(await bundledPackages()), ...installed].toSorted());
});

test('the SBOM is CycloneDX', () => {
  const folder = join(root, 'node_modules/@cyclonedx/cyclonedx-library/res/schema');
  const schema = (name: string): object => JSON.parse(readFileSync(join(folder, name), 'utf8')) as object;
  const ajv = new Ajv({ strict: false, formats: { 'iri-reference': true, 'idn-email': true } });
  addFormats.default(ajv);
  for (const name of ['spdx', 'jsf-0.82', 'cryptography-defs'].map((each) => `${each}.SNAPSHOT.schema.json`))
    ajv.addSchema(schema(name), `http://cyclonedx.org/schema/${name}`);
  const isValid = ajv.compile(schema('bom-1.6.SNAPSHOT.schema.json'));
  const written = JSON.parse(textOf('sbom.cdx.json')) as object;
  expect(isValid(written), JSON.stringify(isValid.errors)).toBe(true);
  expect(isValid({ ...written, components: [{ type: 'library' }] }), 'a fault is seen').toBe(false);
});

test('every library in the bundles has its licence in the notices, and nothing else has', () => {
  const [head = '', ...parts] = textOf('THIRD-PARTY-NOTICES').split(/^-{80}\n/m);
  expect(head).toContain('contain code of these libraries');
  const noticed = parts.flatMap((part) => {
    const [, lines = '', text = ''] = /^\n((?:\S+ \S+ \(.*\)\n)+)\n([^]*)$/.exec(part) ?? [];
    const isWhole = /Copyright|copyright/.test(text) && /WARRANT/.test(text);
    return isWhole ? lines.trim().split('\n') : [`no licence: ${part}`];
  });
  const bundled = components.filter(({ name }) => !(name in dependencies));
  expect(noticed.toSorted()).toEqual(
    bundled.map(({ name, version, licences }) => `${name} ${version} (${licences.join(' and ')})`).toSorted(),
  );
});

test('no library has a licence that asks for more than a notice', () => {
  const others = components.filter(
    ({ licences }) => !licences.every((id) => ['MIT', 'ISC', 'Apache-2.0'].includes(id)),
  );
  expect(others).toEqual([]);
});
