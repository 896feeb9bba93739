/** From where a request comes. */

/**
 * The address that opened the connection; '' where the runtime does not tell. Locally the runtime tells it, and what a client says in
 * a header counts for nothing; at Cloudflare the edge sets the header, whatever the client had in it.
 */
export function clientAddress(request: Request): string {
  const local = (request.cf as { readonly clientIp?: string } | undefined)?.clientIp
  return local === undefined ? (request.headers.get('cf-connecting-ip') ?? '') : withoutPort(local)
}

/** `[::1]:80` and `127.0.0.1:80` without the port. */
function withoutPort(address: string): string {
  const bracketed = /^\[(.*)\](?::\d+)?$/.exec(address)?.[1]
  if (bracketed !== undefined) return bracketed
  return /^[^:]+:\d+$/.test(address) ? address.slice(0, address.lastIndexOf(':')) : address
}

/** Bounds what the audit log repeats of a header. */
const maximumAddresses = 32

const isAddress = (text: string): boolean => /^(?:\d{1,3}(?:\.\d{1,3}){3}|[\da-fA-F:.]*:[\da-fA-F:.]*)$/.test(text)

/**
 * All addresses that a request names, as the audit log shows them: what proxies say they forwarded, and last who opened the connection.
 * Only that one is true for certain.
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
