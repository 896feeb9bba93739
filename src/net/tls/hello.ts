/** The first messages of a handshake (RFC 8446, section 4.1, and RFC 5246, section 7.4.1): they determine the version. */
import { ByteReader, joined, number, TlsError, vector } from './bytes.ts'
import { message, messageTypes } from './handshake-messages.ts'
import { type CipherSuite, cipherSuites } from './key-schedule.ts'
import { type CipherSuite12, cipherSuites12 } from './key-schedule-12.ts'
import { groups, type KeyShares, rawKey, type ServerShare } from './key-shares.ts'
import { signatureSchemes } from './signatures.ts'

const extensions = {
  serverName: 0,
  groups: 10,
  pointFormats: 11,
  signatures: 13,
  alpn: 16,
  extendedMasterSecret: 23,
  versions: 43,
  keyShare: 51,
  renegotiation: 0xff01,
} as const
const tls12 = 0x0303
const tls13 = 0x0304
/** The random number of a ServerHello that asks for another key share: SHA-256 of `HelloRetryRequest`. */
const retryRandom = 'cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c'
/** The end of the random number of a server that knows TLS 1.3 and speaks an earlier version: `DOWNGRD` and 0 or 1. */
const downgraded = /444f574e475244(?:00|01)$/
const encoder = new TextEncoder()

const extension = (type: number, ...content: readonly (Uint8Array | readonly number[])[]): Uint8Array =>
  joined(number(type, 2), vector(2, ...content))

/** Returns a ClientHello that offers TLS 1.3 and TLS 1.2. */
export async function clientHello(
  shares: KeyShares,
  { serverName, session, random }: { readonly serverName: string; readonly session: Uint8Array; readonly random: Uint8Array },
): Promise<Uint8Array> {
  const share = (group: number, key: Uint8Array): Uint8Array => joined(number(group, 2), vector(2, key))
  const isName = !/^[\d.]+$/.test(serverName) && !serverName.includes(':')
  const list = joined(
    ...(isName ? [extension(extensions.serverName, vector(2, [0], vector(2, encoder.encode(serverName))))] : []),
    extension(extensions.groups, vector(2, number(groups.x25519, 2), number(groups.p256, 2))),
    extension(extensions.signatures, vector(2, ...[...signatureSchemes.keys()].map((id) => number(id, 2)))),
    extension(extensions.alpn, vector(2, vector(1, encoder.encode('http/1.1')))),
    extension(extensions.versions, vector(1, number(tls13, 2), number(tls12, 2))),
    extension(extensions.pointFormats, vector(1, [0])),
    extension(extensions.extendedMasterSecret),
    // An empty verification: this is the first handshake (RFC 5746).
    extension(extensions.renegotiation, vector(1)),
    extension(
      extensions.keyShare,
      vector(2, share(groups.x25519, await rawKey(shares.x25519)), share(groups.p256, await rawKey(shares.p256))),
    ),
  )
  const suites = vector(2, ...[...cipherSuites, ...cipherSuites12].map(({ id }) => number(id, 2)))
  return message(messageTypes.clientHello, joined([3, 3], random, vector(1, session), suites, [1, 0], vector(2, list)))
}

/** The choices of a server. */
export type ServerHello =
  | { readonly version: 'TLS 1.3'; readonly suite: CipherSuite; readonly share: ServerShare }
  | {
      readonly version: 'TLS 1.2'
      readonly suite: CipherSuite12
      readonly random: Uint8Array
      readonly hasExtendedMasterSecret: boolean
    }

/** Reads the extensions of a ServerHello by their types. */
function extensionsIn(reader: ByteReader): ReadonlyMap<number, ByteReader> {
  const list = reader.isAtEnd ? new ByteReader(new Uint8Array()) : new ByteReader(reader.vector(2))
  const all = new Map<number, ByteReader>()
  while (!list.isAtEnd) all.set(list.number(2), new ByteReader(list.vector(2)))
  return all
}

/** The fields of a ServerHello that both versions have. */
interface Fields {
  readonly version: number
  readonly random: Uint8Array
  readonly session: Uint8Array
  readonly suite: number
  readonly compression: number
  readonly given: ReadonlyMap<number, ByteReader>
}

function readFields(body: Uint8Array): Fields {
  const reader = new ByteReader(body)
  const legacy = reader.number(2)
  const [random, session] = [reader.bytes(32), reader.vector(1)]
  const [suite, compression] = [reader.number(2), reader.number(1)]
  const given = extensionsIn(reader)
  return { version: given.get(extensions.versions)?.number(2) ?? legacy, random, session, suite, compression, given }
}

/**
 * Reads a ServerHello.
 * @param sent the identifier of a session that was sent, which a server of TLS 1.3 repeats
 * @throws TlsError if the server does not speak the protocol, or somebody on the way has made it speak an earlier version
 */
export function readServerHello(body: Uint8Array, sent: Uint8Array): ServerHello {
  const { version, random, session, suite: chosen, compression, given } = readFields(body)
  const end = Buffer.from(random).toString('hex')
  if (version !== tls13 && version !== tls12)
    throw new TlsError(`tls: server selected unsupported protocol version ${version.toString(16)}`)
  if (compression !== 0) throw new TlsError('tls: server sent non-zero legacy TLS compression method')
  if (version === tls12) {
    if (downgraded.test(end))
      throw new TlsError('tls: downgrade attempt detected, possibly due to a MitM attack or a broken middlebox')
    const suite = cipherSuites12.find(({ id }) => id === chosen)
    if (suite === undefined) throw new TlsError('tls: server chose an unconfigured cipher suite')
    return { version: 'TLS 1.2', suite, random, hasExtendedMasterSecret: given.has(extensions.extendedMasterSecret) }
  }
  if (end === retryRandom) throw new TlsError('tls: server asked for a group that is not supported')
  if (!Buffer.from(session).equals(sent)) throw new TlsError('tls: server did not echo the legacy session ID')
  const [suite, share] = [cipherSuites.find(({ id }) => id === chosen), given.get(extensions.keyShare)]
  if (suite === undefined || share === undefined) throw new TlsError('tls: server chose an unconfigured cipher suite')
  return { version: 'TLS 1.3', suite, share: { group: share.number(2), key: share.vector(2) } }
}
