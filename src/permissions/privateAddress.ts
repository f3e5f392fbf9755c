/** Which addresses lead to this machine or its network rather than to the public internet (P1). */
import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js';

const LOCAL_NAME = /(?:^|\.)(?:localhost|local|localdomain|internal|intranet|lan|home|corp|private|home\.arpa)$/;

/** The host that a URL names, as every way of writing it comes out; undefined when it is none. */
export function hostOf(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const { hostname } = new URL(address);
  const host = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  return host === '' ? undefined : host;
}

/**
 * By its text alone: a public name may still resolve to such an address, which is for whoever connects to find out. What is not
 * clear counts as private.
 */
export function isPrivateAddress(address: string): boolean {
  const host = hostOf(address);
  if (host === undefined) return true;
  // IPv4 in IPv6 is judged as the IPv4 address.
  if (ipaddr.isValid(host)) return !isPublic(ipaddr.process(host));
  // A name without a dot is looked up in the own network.
  return !host.includes('.') || LOCAL_NAME.test(host);
}

/** Of IPv6 only the part that is given out for the internet is; what lies outside of it may carry an IPv4 address, as `::7f00:1` does. */
function isPublic(address: IPv4 | IPv6): boolean {
  return address.range() === 'unicast' && (address instanceof ipaddr.IPv4 || address.match(INTERNET, 3));
}

const INTERNET = ipaddr.IPv6.parse('2000::');
