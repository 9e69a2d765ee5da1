// A proxy before a real edge that hands requests and answers on as they are, but for what it is
// made to spoil: the misconfigurations of CDNs and servers that operators have.

import { createServer, request, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/** By name in lower case; several lines of one name as a list. */
type Fields = Readonly<Record<string, string | string[]>>;

export interface ProxyRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly fields: Fields;
}

export interface ProxyAnswer {
  readonly status: number;
  readonly fields: Fields;
  readonly content: Buffer;
}

export interface Spoiling {
  /** The request as the edge gets it. */
  readonly asked?: (asked: ProxyRequest) => ProxyRequest;
  /** The answer as the client gets it; null: none, ever. */
  readonly answered?: (answer: ProxyAnswer, asked: ProxyRequest) => ProxyAnswer | null;
  /** In place of the edge; null where the edge is to be asked. */
  readonly instead?: (asked: ProxyRequest) => ProxyAnswer | null;
}

export interface Proxy {
  readonly url: string;
  close(): Promise<void>;
}

export async function startProxy(port: number, spoiling: Spoiling): Promise<Proxy> {
  const server = createServer((incoming, outgoing) => {
    const asked = {
      method: incoming.method ?? '',
      target: incoming.url ?? '',
      fields: fieldsOf(incoming),
    };
    answerOf(port, asked, spoiling).then(
      (answer) => {
        if (answer === null) return;
        outgoing.writeHead(answer.status, answer.fields);
        outgoing.end(asked.method === 'HEAD' ? undefined : answer.content);
      },
      () => outgoing.destroy(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function answerOf(port: number, asked: ProxyRequest, spoiling: Spoiling): Promise<ProxyAnswer | null> {
  const { asked: change = (one) => one, answered = (one) => one, instead = () => null } = spoiling;
  return answered(instead(asked) ?? (await ask(port, change(asked))), asked);
}

async function ask(port: number, { method, target, fields }: ProxyRequest): Promise<ProxyAnswer> {
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    const options = { host: '127.0.0.1', port, method, path: target, headers: fields, agent: false };
    request(options, resolve).on('error', reject).end();
  });
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const { connection: _, 'keep-alive': __, 'transfer-encoding': ___, ...rest } = fieldsOf(incoming);
  return { status: incoming.statusCode ?? 0, fields: rest, content: Buffer.concat(chunks) };
}

function fieldsOf({ headersDistinct }: IncomingMessage): Fields {
  const lines = Object.entries(headersDistinct).map(([name, values = []]) => {
    const [first = '', ...others] = values;
    return [name, others.length === 0 ? first : values] as const;
  });
  return Object.fromEntries(lines);
}

/** The fields with another value for one of them; null: without it. */
export function withField(fields: Fields, name: string, value: string | null): Fields {
  const { [name]: _, ...others } = fields;
  return value === null ? others : { ...others, [name]: value };
}
