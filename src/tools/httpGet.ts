/**
 * One page from the web. A page, a name server or a redirect never leads to where the person was not asked for (P1): what is
 * private is reached only when it is what the call itself named, and what is on another host not at all.
 */
import { lookup as systemLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import zlib from 'node:zlib';

import { isPrivateAddress } from '../permissions/privateAddress.ts';
import { ToolError } from './toolError.ts';

export type Lookup = (
  host: string,
  options: LookupOptions & { all: true },
  done: (error: NodeJS.ErrnoException | null, found: LookupAddress[] | undefined) => void,
) => void;

export interface GetOptions {
  signal: AbortSignal;
  /** Most bytes that are read of the content, as it is when it is unpacked. */
  max_bytes: number;
  /** Of the content of this type (lower case, without parameters; empty when there is none) nothing is read. */
  skips(type: string): boolean;
  lookup?: Lookup;
}

export interface Got {
  /** Where redirects led. */
  url: string;
  status: number;
  status_text: string;
  type: string;
  charset: string | undefined;
  /** Undefined for content that was skipped. */
  content: Buffer | undefined;
  /** There is more content than was read. */
  cut: boolean;
  /** Bytes of the content on the way, as the server says. */
  length: number | undefined;
}

const MOST_REDIRECTS = 5;
const REDIRECTS = [301, 302, 303, 307, 308];
const HEADERS = {
  'user-agent': 'Polyglav',
  accept: 'text/html, application/xhtml+xml, text/*;q=0.9, application/json;q=0.9, */*;q=0.5',
  'accept-encoding': 'gzip, br',
};

/** Throws {@link ToolError} for what is no address of a web page. */
export function checkedUrl(text: string): URL {
  if (!URL.canParse(text))
    throw new ToolError(`${JSON.stringify(text)} is no URL. Write it whole, as https://example.com/page.`);
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new ToolError(`Only http and https can be fetched, not ${url.protocol} Use the file tools for files.`);
  if (url.username !== '' || url.password !== '')
    throw new ToolError('A URL with a user name or password in it is not fetched.');
  url.hash = '';
  return url;
}

/** Follows redirects on the same host. Throws {@link ToolError}; rejects when the signal fires. */
export async function httpGet(address: string, options: GetOptions): Promise<Got> {
  let url = checkedUrl(address);
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    const response = await request(url, options);
    const { location } = response.headers;
    if (!REDIRECTS.includes(response.statusCode ?? 0) || location === undefined) return read(url, response, options);
    response.destroy();
    url = redirected(url, location);
  }
  throw new ToolError(`${address} redirects more than ${MOST_REDIRECTS} times.`);
}

function redirected(from: URL, location: string): URL {
  if (!URL.canParse(location, from.href)) throw new ToolError(`${from.href} redirects to what is no URL.`);
  const to = checkedUrl(new URL(location, from).href);
  const host = ({ hostname, port }: URL) => `${hostname.replace(/^www\./, '')}:${port}`;
  if (host(from) !== host(to))
    throw new ToolError(
      `${from.href} redirects to another host: ${to.href}\nTo go there, call web_fetch with that address.`,
    );
  return to;
}

function request(url: URL, { signal, lookup = systemLookup }: GetOptions): Promise<IncomingMessage> {
  const mayBePrivate = isPrivateAddress(url.href);
  return new Promise((resolve, reject) => {
    const client = url.protocol === 'https:' ? https : http;
    const options = {
      agent: false,
      signal,
      headers: HEADERS,
      lookup: mayBePrivate ? openly(lookup) : publicOnly(lookup),
    };
    const sent = client.request(url, options, resolve);
    sent.once('error', reject);
    // Nothing is said to a host before it is certain where the connection led, whoever made it.
    sent.once('socket', (socket) => {
      const begin = () => {
        if (!mayBePrivate && isPrivate(socket.remoteAddress ?? '')) sent.destroy(refusal(url.hostname));
        else sent.end();
      };
      if (socket.connecting) socket.once('connect', begin);
      else begin();
    });
  });
}

/** The addresses that are checked are the ones that are connected to: a name that changes its mind gains nothing. */
function publicOnly(lookup: Lookup): LookupFunction {
  return (host, options, done) =>
    lookup(host, { ...options, all: true }, (error, found) => {
      const open = (found ?? []).filter(({ address }) => !isPrivate(address));
      if (error === null && open.length === 0) give(refusal(host), [], options, done);
      else give(error, open, options, done);
    });
}

function openly(lookup: Lookup): LookupFunction {
  return (host, options, done) =>
    lookup(host, { ...options, all: true }, (error, found) => give(error, found ?? [], options, done));
}

function give(
  error: NodeJS.ErrnoException | null,
  found: LookupAddress[],
  { all }: LookupOptions,
  done: Parameters<LookupFunction>[2],
): void {
  const [first] = found;
  if (error !== null || first === undefined) done(error ?? new Error('no address was found'), '');
  else if (all === true) done(null, found);
  else done(null, first.address, first.family);
}

function isPrivate(address: string): boolean {
  return isPrivateAddress(`http://${address.includes(':') ? `[${address}]` : address}/`);
}

function refusal(host: string): ToolError {
  return new ToolError(
    `${host} leads to an address of this machine or its network. Such a place is only fetched when it is named itself: ` +
      'call web_fetch with the numeric address, and the person will be asked.',
  );
}

async function read(url: URL, response: IncomingMessage, { max_bytes, skips }: GetOptions): Promise<Got> {
  const [type = '', ...parameters] = (response.headers['content-type'] ?? '').split(';').map((part) => part.trim());
  const length = Number(response.headers['content-length'] ?? NaN);
  const got: Got = {
    url: url.href,
    status: response.statusCode ?? 0,
    status_text: response.statusMessage ?? '',
    type: type.toLowerCase(),
    charset: parameters.map((part) => /^charset=["']?([^"']+)/i.exec(part)?.[1]).find((found) => found !== undefined),
    content: undefined,
    cut: false,
    length: Number.isFinite(length) ? length : undefined,
  };
  if (skips(got.type)) {
    response.destroy();
    return got;
  }
  const pieces: Buffer[] = [];
  let room = max_bytes;
  for await (const piece of unpacked(response) as AsyncIterable<Buffer>) {
    pieces.push(piece.subarray(0, room));
    room -= piece.length;
    if (room < 0) break;
  }
  response.destroy();
  return { ...got, content: Buffer.concat(pieces), cut: room < 0 };
}

function unpacked(response: IncomingMessage): Readable {
  const encoding = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  const unpack = UNPACK[encoding];
  if (encoding === 'identity' || encoding === '') return response;
  if (unpack === undefined)
    throw new ToolError(`The page is packed as ${JSON.stringify(encoding)}, which cannot be read here.`);
  // What goes wrong is thrown to whoever reads.
  return pipeline(response, unpack(), () => undefined);
}

const UNPACK: Readonly<Record<string, () => zlib.Gunzip | zlib.Inflate | zlib.BrotliDecompress>> = {
  gzip: () => zlib.createGunzip(),
  'x-gzip': () => zlib.createGunzip(),
  deflate: () => zlib.createInflate(),
  br: () => zlib.createBrotliDecompress(),
};
