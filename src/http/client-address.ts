/** The network address of the client. */

/**
 * Returns the address that opened the connection; '' if the runtime does not provide it. Locally the runtime provides it, and
 * headers are ignored. At Cloudflare the edge sets the header and overwrites one that the client sent.
 */
export function clientAddress(request: Request): string {
  const local = (request.cf as { readonly clientIp?: string } | undefined)?.clientIp
  return local === undefined ? (request.headers.get('cf-connecting-ip') ?? '') : withoutPort(local)
}

/** Removes the port from `[::1]:80` or `127.0.0.1:80`. */
function withoutPort(address: string): string {
  const bracketed = /^\[(.*)\](?::\d+)?$/.exec(address)?.[1]
  if (bracketed !== undefined) return bracketed
  return /^[^:]+:\d+$/.test(address) ? address.slice(0, address.lastIndexOf(':')) : address
}

/** Limits the addresses from X-Forwarded-For in an audit event. */
const maximumAddresses = 32

const isAddress = (text: string): boolean => /^(?:\d{1,3}(?:\.\d{1,3}){3}|[\da-fA-F.]*:[\da-fA-F:.]*)$/.test(text)

/**
 * Returns the sourceIPs of an audit event: the addresses that proxies have added to headers, and last the address that opened the
 * connection. Only the last one is certain.
 */
export function sourceAddresses(request: Request): string[] {
  const forwarded = (request.headers.get('x-forwarded-for') ?? '').split(',').map((address) => address.trim())
  const real = (request.headers.get('x-real-ip') ?? '').trim()
  const addresses = forwarded.filter(isAddress).slice(0, maximumAddresses)
  if (isAddress(real) && !addresses.includes(real)) addresses.push(real)
  const remote = clientAddress(request)
  if (remote !== '' && addresses.at(-1) !== remote) addresses.push(remote)
  return addresses
}
