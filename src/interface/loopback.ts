/** True for an address on this machine, where requests harm nobody else. */
export function isLoopback(baseUrl: string): boolean {
  return baseUrl === 'embedded' || isLoopbackHost(new URL(baseUrl).hostname);
}

/** True for a host that is this machine; an IPv6 address may be in brackets. */
export function isLoopbackHost(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\])$/.test(
    host,
  );
}
