// What of others is in the package: a CycloneDX SBOM of the libraries whose code is in the bundles
// and of the packages that are installed with it, and the licences of the libraries. Both are made
// from esbuild's own accounts of the bundles.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Metafile } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

const SBOM = 'sbom.cdx.json';
const NOTICES = 'THIRD-PARTY-NOTICES';

/** What is read of a component of the SBOM. */
interface Component {
  readonly group?: string;
  readonly name: string;
  readonly version: string;
  readonly author?: string;
  readonly licenses?: readonly { readonly license: { readonly id?: string } }[];
  readonly evidence?: { readonly licenses: readonly { readonly license: { readonly text: { content: string } } }[] };
}

/**
 * Writes both files into `folder`, for a package that contains these bundles and depends on these
 * packages. The metafiles name files from the root. Throws Error if a library has no licence.
 */
export function writeThirdParty(metafiles: readonly Metafile[], dependencies: readonly string[], folder: string): void {
  const bom = bomOf(accountOf(metafiles, dependencies));
  const bundled = bom.components.filter((component) => !dependencies.includes(nameOf(component)));
  writeFileSync(join(folder, NOTICES), noticesText(bundled));
  // The licence texts have the other file.
  const listed = JSON.stringify(bom, (key, value: unknown) => (key === 'evidence' ? undefined : value), 2);
  writeFileSync(join(folder, SBOM), `${listed}\n`);
}

/** One account of all bundles, and of each dependency as if it were one. */
function accountOf(metafiles: readonly Metafile[], dependencies: readonly string[]): Metafile {
  const account: Metafile = { inputs: {}, outputs: {} };
  for (const [i, { inputs, outputs }] of metafiles.entries()) {
    Object.assign(account.inputs, inputs);
    // Outputs of several builds may have the same name.
    for (const [path, output] of Object.entries(outputs)) account.outputs[`${i}/${path}`] = output;
  }
  for (const name of dependencies) {
    const path = `node_modules/${name}/package.json`;
    account.inputs[path] = { bytes: 1, imports: [] };
    const inputs = { [path]: { bytesInOutput: 1 } };
    account.outputs[name] = { bytes: 1, inputs, imports: [], exports: [], entryPoint: path };
  }
  return account;
}

/** The SBOM, checked against the schema of CycloneDX, with each component's licence texts. */
function bomOf(account: Metafile): { readonly components: readonly Component[] } {
  const folder = mkdtempSync(join(tmpdir(), 'playbill-sbom-'));
  try {
    const path = join(folder, 'metafile.json');
    writeFileSync(path, JSON.stringify(account));
    const command = join(root, 'node_modules/.bin/cyclonedx-esbuild');
    const argv = ['--build-working-dir', root, '--gather-license-texts', '--output-reproducible', '--validate', path];
    const { status, stdout, stderr } = spawnSync(command, argv, { encoding: 'utf8', maxBuffer: 2 ** 26 });
    if (status !== 0) throw new Error(`cyclonedx-esbuild failed:\n${stderr}`);
    return JSON.parse(stdout) as { readonly components: readonly Component[] };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const nameOf = ({ group, name }: Component): string => (group === undefined ? name : `${group}/${name}`);

const licenceOf = ({ licenses = [] }: Component): string => licenses.map(({ license }) => license.id).join(' and ');

/** Each licence once, below the libraries that have it. */
function noticesText(components: readonly Component[]): string {
  const byText = new Map<string, string[]>();
  for (const component of components) {
    const text = licenceTextOf(component, components);
    const line = `${nameOf(component)} ${component.version} (${licenceOf(component)})`;
    byText.set(text, [...(byText.get(text) ?? []), line]);
  }
  const parts = [...byText].map(([text, lines]) => `${lines.join('\n')}\n\n${text}\n`);
  return ['The compiled files of Playbill contain code of these libraries.\n', ...parts].join(
    `\n${'-'.repeat(80)}\n\n`,
  );
}

/**
 * The licence that a library comes with: as files, or at the end of its README; otherwise that of
 * another library of the same author under the same licence.
 */
function licenceTextOf(component: Component, components: readonly Component[]): string {
  const own = ownLicence(component);
  if (own !== null) return own;
  const isAlike = (other: Component): boolean =>
    authorOf(other) === authorOf(component) && licenceOf(other) === licenceOf(component) && ownLicence(other) !== null;
  const other = components.find(isAlike);
  if (authorOf(component) === '' || licenceOf(component) === '' || other === undefined)
    throw new Error(`expected a licence of ${nameOf(component)}, found none in its package`);
  return ownLicence(other) ?? '';
}

/** Without the address that may follow in brackets. */
const authorOf = ({ author = '' }: Component): string => author.replace(/ \(.*/, '');

function ownLicence(component: Component): string | null {
  const files = component.evidence?.licenses ?? [];
  if (files.length > 0)
    return files.map(({ license }) => Buffer.from(license.text.content, 'base64').toString().trim()).join('\n\n');
  const readme = readFileSync(join(root, 'node_modules', nameOf(component), 'README.md'), 'utf8');
  return /^#+ license\n+([^]*Permission is hereby granted[^]*)$/im.exec(readme)?.[1]?.trim() ?? null;
}
