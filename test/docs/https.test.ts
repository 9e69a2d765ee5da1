// data/https.md, typed by root on a machine of its own with a real certificate: after each way, a
// signed request is answered over HTTPS, an unsigned one is not, and `edge check` finds nothing;
// without its line for Host, everybody is refused.

import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { edgeCheckResultSchema } from '../../src/contract/results/edge.ts';
import { makeCertificate } from '../support/edge/certificate.ts';
import { CheckedTrees } from '../support/edge/checked-trees.ts';
import { temporaryFolder } from '../support/edge/temporary-folder.ts';
import { commandProgram, mayMakeMachine, typeOnMachine } from '../support/machine.ts';

const guide = readFileSync(new URL('../../data/https.md', import.meta.url), 'utf8');
const trees = new CheckedTrees(temporaryFolder());
/** What the guide presupposes. */
let before = '';

beforeAll(async () => {
  await trees.make();
  const { certificate, key } = makeCertificate(trees.folder);
  before = `
echo 127.0.0.1 tickets.example >> /etc/hosts
rm -f /etc/nginx/sites-enabled/default
mkdir -p /var/lib/playbill
cp -r ${trees.out} /var/lib/playbill/out
cp ${certificate} /etc/ssl/tickets.pem
cp ${key} /etc/ssl/private/tickets.key
cat ${certificate} ${key} > /etc/haproxy/tickets.pem
`;
});

/**
 * The blocks of a section as somebody types them, by language: commands, or a file that is edited,
 * whose path is in the paragraph above.
 */
function typed(heading: string, languages: readonly string[]): string {
  const [, section = ''] = new RegExp(`^## ${heading}\n([^]*?)(?=^## )`, 'm').exec(guide) ?? [];
  return Array.from(section.matchAll(/^```([a-z]+)\n([^]*?)^```$/gm), ({ index, 1: language = '', 2: text = '' }) => {
    if (!languages.includes(language)) return '';
    const [, path] =
      /`(\/etc\/\S+?(?:\.conf|\.cfg|Caddyfile))`[^`]*(?:`[^`]*`[^`]*)?\n\n$/.exec(section.slice(0, index)) ?? [];
    return language === 'sh' ? text : `cat > ${path} <<'END_OF_FILE'\n${text}END_OF_FILE\n`;
  }).join('');
}

/** What is asked from outside, one answer a line. */
const asking = (): string => `
export NODE_EXTRA_CA_CERTS=/etc/ssl/tickets.pem CURL_CA_BUNDLE=/etc/ssl/tickets.pem
echo ANSWERS
curl -s -o /dev/null -w '%{http_code}\\n' -H 'X-Front: moscow' https://tickets.example/products/
playbill sign https://tickets.example/products/ --key ${trees.keyFile('moscow-1')} --curl | sh > /tmp/signed
head -n 1 /tmp/signed
curl -s https://tickets.example/ > /tmp/site
head -c 8 /tmp/site
echo
playbill edge check https://tickets.example ${trees.keys().join(' ')} --out /var/lib/playbill/out --json || true
`;

function answersOn(script: string) {
  const { status, stdout, stderr } = typeOnMachine(before + script + asking(), { playbill: commandProgram() });
  expect(status, stdout + stderr).toBe(0);
  const [unsigned, signed, site, checked = ''] = stdout.slice(stdout.indexOf('ANSWERS\n') + 8).split('\n');
  const { checks } = edgeCheckResultSchema.parse(JSON.parse(checked));
  return { unsigned, signed: signed?.trim(), site, notOk: checks.filter(({ state }) => state !== 'ok') };
}

const OWN = 'nginx: a server of its own';
const THERE = 'nginx: a server that is there';
const FRONT = 'A proxy or a load balancer in front';
const NGINX = 'nginx -t && systemctl reload nginx\n';

describe.runIf(mayMakeMachine())('typed by root', () => {
  test.each([
    [OWN, () => typed(OWN, ['sh']), '{"type":'],
    [THERE, () => typed(THERE, ['sh', 'nginx']), 'the shop'],
    [`${FRONT}: nginx`, () => typed(FRONT, ['sh', 'nginx']) + NGINX, '{"type":'],
    [
      `${FRONT}: Apache`,
      () => `a2enmod ssl proxy_http\n${typed(FRONT, ['sh', 'apache'])}systemctl restart apache2\n`,
      '{"type":',
    ],
    [`${FRONT}: Caddy`, () => `${typed(FRONT, ['sh', 'caddy'])}systemctl restart caddy\n`, '{"type":'],
    [`${FRONT}: HAProxy`, () => `${typed(FRONT, ['sh', 'haproxy'])}systemctl restart haproxy\n`, '{"type":'],
    ['Caddy as the edge', () => typed('Caddy or HAProxy as the edge', ['sh', 'caddy']), 'the shop'],
  ])('%s', (_, script, site) => {
    expect(answersOn(script())).toEqual({
      unsigned: '401',
      signed: expect.stringMatching(/^HTTP\/(2|1\.1) 200/) as string,
      site,
      notOk: [],
    });
  });

  test.each([
    ['nginx', 'nginx', 'proxy_set_header Host $http_host;', NGINX],
    ['Apache', 'apache', 'ProxyPreserveHost On', 'systemctl restart apache2\n'],
  ])('%s without its line for Host: everybody is refused, and edge check says why', (_, language, line, end) => {
    const script = typed(FRONT, ['sh', language]);
    expect(script).toContain(line);
    const { signed, notOk } = answersOn(`a2enmod -q ssl proxy_http\n${script.replace(line, '')}${end}`);
    expect(signed).toMatch(/^HTTP\/(2|1\.1) 401/);
    expect(notOk.map(({ check }) => check)).toContain('authority');
  });

  test('plain HTTP to the port of HTTPS gets a problem document', () => {
    const ask = 'curl -s -i http://tickets.example:443/products/\n';
    const { stdout } = typeOnMachine(before + typed(OWN, ['sh']) + ask, { playbill: commandProgram() });
    expect(stdout).toContain('"code":"request-malformed"');
    expect(stdout).toMatch(/^HTTP\/1\.1 400 /m);
  });
});

test('the table names the lines of the examples', () => {
  for (const line of ['proxy_set_header Host $http_host;', 'ProxyPreserveHost On'])
    expect(guide.split(line)).toHaveLength(3);
});
