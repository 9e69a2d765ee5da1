// Requests that nginx refuses by itself, before or after the rule, and its answers.

export interface OwnRefusal {
  readonly name: string;
  readonly lines: readonly string[];
  readonly body: string;
  readonly status: number;
  readonly code: string;
}

const HOST = 'Host: edge.test';
const SIGNED = [HOST, 'X-Front: moscow', 'Sign: keyid=moscow-1'];

export const OWN_REFUSALS: readonly OwnRefusal[] = [
  refusal('no Host', 400, 'request-malformed', ['GET /products/ HTTP/1.1']),
  refusal('two of them', 400, 'request-malformed', ['GET /products/ HTTP/1.1', HOST, HOST]),
  refusal('out of the root', 400, 'request-malformed', ['GET /../edge/keyring.json HTTP/1.1', HOST]),
  refusal('an invalid length', 400, 'request-malformed', ['GET / HTTP/1.1', HOST, 'Content-Length: 1x']),
  refusal('no method', 400, 'request-malformed', ['get /products/ HTTP/1.1', HOST]),
  refusal('TRACE', 405, 'method-not-allowed', ['TRACE /products/ HTTP/1.1', HOST]),
  refusal('CONNECT', 405, 'method-not-allowed', ['CONNECT / HTTP/1.1', HOST]),
  refusal('If-Match', 412, 'precondition-failed', ['GET /products/ HTTP/1.1', ...SIGNED, 'If-Match: "another"']),
  refusal('If-Match, to br', 412, 'precondition-failed', [
    'GET /products/ HTTP/1.1',
    ...SIGNED,
    'If-Match: "another"',
    'Accept-Encoding: br',
  ]),
  refusal('a body', 413, 'content-too-large', ['POST /products/ HTTP/1.1', HOST, 'Content-Length: 3'], 'x=1'),
  refusal('a long URL', 414, 'uri-too-long', [`GET /products/?${'x'.repeat(9000)} HTTP/1.1`, HOST]),
  refusal('a long header', 431, 'header-too-large', ['GET /products/ HTTP/1.1', HOST, `X-Long: ${'x'.repeat(9000)}`]),
  refusal('many headers', 431, 'header-too-large', [
    'GET /products/ HTTP/1.1',
    HOST,
    ...Array.from({ length: 9 }, (_, i) => `X-Long-${i}: ${'x'.repeat(7000)}`),
  ]),
  refusal('a transfer coding', 501, 'not-implemented', ['GET / HTTP/1.1', HOST, 'Transfer-Encoding: gzip']),
  refusal('HTTP/3 in a request line', 505, 'http-version-not-supported', ['GET /products/ HTTP/3.0', HOST]),
  refusal('its own location', 404, 'not-found', ['GET /playbill-refusal HTTP/1.1', HOST]),
];

function refusal(name: string, status: number, code: string, lines: readonly string[], body = ''): OwnRefusal {
  return { name, lines, body, status, code };
}
