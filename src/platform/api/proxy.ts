import { BlockList, isIP } from 'node:net';
import type { ProxyServer, ProxySettings } from '../config/proxy-settings.ts';
import { isLoopbackHost } from '../contract/address.ts';

/** The proxy for requests to this URL, if any. Requests to this machine use none. */
export function proxyFor(settings: ProxySettings | undefined, url: URL): ProxyServer | undefined {
  if (!settings || isLoopbackHost(url)) return undefined;
  const proxy = isEncrypted(url) ? settings.https : settings.http;
  return proxy && !isExcepted(settings.noProxy, url) ? proxy : undefined;
}

/** The name of the proxy in messages, without its password. */
export function proxyName({ address, variable }: ProxyServer): string {
  return `the proxy ${new URL(address).host} (${variable})`;
}

export function urlPort(url: URL): number {
  return Number(url.port || (isEncrypted(url) ? 443 : 80));
}

/** Without the brackets of an IPv6 address, as sockets expect. */
export function urlHost({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

function isEncrypted({ protocol }: URL): boolean {
  return protocol === 'https:' || protocol === 'wss:';
}

/** Parses `NO_PROXY` like curl: names with their subdomains, IP addresses and networks, each with an optional port. */
function isExcepted(except: string, url: URL): boolean {
  const host = urlHost(url).toLowerCase().replace(/\.$/, '');
  const port = urlPort(url);
  return except
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => matches(entry, host, port));
}

function matches(entry: string, host: string, port: number): boolean {
  if (entry === '' || entry === '*') return entry === '*';
  if (isIP(entry)) return sameAddress(entry, host);
  const [, name = '', onlyPort] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
  if (onlyPort !== undefined && Number(onlyPort) !== port) return false;
  const plain = name.replace(/^\[(.*)\]$/, '$1');
  if (isIP(plain)) return sameAddress(plain, host);
  if (plain.includes('/')) return isInNetwork(plain, host);
  const suffix = plain.replace(/^\*?\./, '').replace(/\.$/, '');
  return suffix !== '' && (host === suffix || host.endsWith(`.${suffix}`));
}

function sameAddress(address: string, host: string): boolean {
  return isInNetwork(`${address}/${isIP(address) === 6 ? 128 : 32}`, host);
}

/** `10.0.0.0/8`. */
function isInNetwork(network: string, host: string): boolean {
  const [address = '', bits = ''] = network.split('/');
  const family = isIP(address);
  if (!family || !isIP(host) || !/^\d{1,3}$/.test(bits) || Number(bits) > (family === 6 ? 128 : 32)) return false;
  const list = new BlockList();
  list.addSubnet(address, Number(bits), family === 6 ? 'ipv6' : 'ipv4');
  return list.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4');
}
