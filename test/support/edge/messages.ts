// HTTP/1.1 messages on a bare socket, so that a request arrives exactly as written: repeated and
// padded headers, paths that a library would normalise. Loopback only.

import { connect } from 'node:net';

/** An answer as it came. */
export interface RawResponse {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly content: Buffer;
}

/**
 * Sends a request (its lines, latin1, and a body if it has one) on a connection of its own and
 * reads the answer to its end.
 */
export function sendLines(port: number, lines: readonly string[], body = ''): Promise<RawResponse> {
  const text = [...lines, 'Connection: close', '', body].join('\r\n');
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => socket.write(text, 'latin1'));
    // Below a test's own patience, so that the request is named.
    socket.setTimeout(120_000, () => socket.destroy(new Error(`no answer within 120 s to ${lines[0] ?? ''}`)));
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => {
      try {
        resolve(parseAnswer(Buffer.concat(chunks)));
      } catch (error) {
        reject(error);
      }
    });
  });
}

/** The values of a header, in order; names compare without case. */
export function headerValues(answer: RawResponse, name: string): readonly string[] {
  return answer.headers.filter(([key]) => key.toLowerCase() === name.toLowerCase()).map(([, value]) => value);
}

/** An answer in the bytes of a connection that ended with it. */
export function parseAnswer(bytes: Buffer): RawResponse {
  const end = bytes.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = bytes.subarray(0, Math.max(end, 0)).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(statusLine)?.[1] ?? Number.NaN);
  if (end === -1 || Number.isNaN(status))
    throw new Error(`not an answer: ${JSON.stringify(bytes.toString('latin1').slice(0, 200))}`);
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()] as const;
  });
  const rest = bytes.subarray(end + 4);
  const isChunked = headers.some(([name, value]) => name.toLowerCase() === 'transfer-encoding' && value === 'chunked');
  const answer = { status, headers, content: isChunked ? unchunked(rest) : rest };
  const length = headerValues(answer, 'content-length')[0];
  if (length !== undefined && rest.length > 0 && rest.length !== Number(length))
    throw new Error(`content of ${rest.length} bytes, announced ${length}`);
  return answer;
}

function unchunked(bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  let at = 0;
  while (at < bytes.length) {
    const lineEnd = bytes.indexOf('\r\n', at);
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString('latin1'), 16);
    if (lineEnd === -1 || Number.isNaN(size)) throw new Error('torn chunks');
    if (size === 0) return Buffer.concat(parts);
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
  // An answer to HEAD announces chunks and has none.
  return Buffer.concat(parts);
}
