/** The handshake of TLS 1.2 (RFC 5246, section 7.4) after its first messages, with an exchange by elliptic curves (RFC 8422). */
import { timingSafeEqual, type X509Certificate } from 'node:crypto'
import { ByteReader, joined, number, TlsError, vector } from './bytes.ts'
import { type ClientCertificate, proofOf } from './client-certificate.ts'
import { type Flights, unexpected } from './flights.ts'
import { message, messageTypes } from './handshake-messages.ts'
import type { ServerHello } from './hello.ts'
import { extendedMaster, finishedOf12, plainMaster, protectionOf, type Randoms } from './key-schedule-12.ts'
import { type KeyShares, rawKey, type ServerShare, sharedSecret, shareOf } from './key-shares.ts'
import { checkSignature } from './signatures.ts'

/** The type of a curve that is named by its number. */
const namedCurve = 3

/** The parts of a connection on which the handshake depends. */
export interface Client12 {
  readonly flights: Flights
  readonly hello: ServerHello & { readonly version: 'TLS 1.2' }
  readonly shares: KeyShares
  /** The random number of the ClientHello. */
  readonly random: Uint8Array
  /** Checks the server's certificates. Returns its own. @throws TlsError */
  readonly verify: (chain: readonly Uint8Array[]) => X509Certificate
  readonly certificate: ClientCertificate | undefined
}

function chainIn(body: Uint8Array): Uint8Array[] {
  const list = new ByteReader(new ByteReader(body).vector(3))
  const chain: Uint8Array[] = []
  while (!list.isAtEnd) chain.push(list.vector(3))
  return chain
}

/** Reads a ServerKeyExchange. @throws TlsError if the server does not have the key of its certificate */
async function readKeyExchange(body: Uint8Array, leaf: X509Certificate, randoms: Randoms): Promise<ServerShare> {
  const reader = new ByteReader(body)
  if (reader.number(1) !== namedCurve) throw new TlsError('tls: server selected unsupported curve')
  const group = reader.number(2)
  const key = reader.vector(1)
  const parameters = body.subarray(0, 4 + key.length)
  const [scheme, signature] = [reader.number(2), reader.vector(2)]
  const signed = joined(randoms.client, randoms.server, parameters)
  await checkSignature(leaf.publicKey, { scheme, signed, signature }, 'TLS 1.2')
  return { group, key }
}

/** Reads the server's messages up to ServerHelloDone. */
async function readServer({ flights, hello, verify }: Client12, randoms: Randoms) {
  const leaf = verify(chainIn(await flights.expect(messageTypes.certificate)))
  if ((hello.suite.signature === 'rsa') !== (leaf.publicKey.asymmetricKeyType === 'rsa'))
    throw new TlsError('tls: server certificate does not match the chosen cipher suite')
  const share = await readKeyExchange(await flights.expect(messageTypes.serverKeyExchange), leaf, randoms)
  let next = await flights.next()
  const isAsked = next.type === messageTypes.certificateRequest
  if (isAsked) next = await flights.next()
  if (next.type !== messageTypes.serverHelloDone) throw unexpected(next.type)
  return { share, isAsked }
}

/** Completes the handshake: the records of both directions are protected afterwards. @throws TlsError */
export async function finish12(client: Client12): Promise<void> {
  const { flights, hello, shares, random, certificate } = client
  const { suite } = hello
  const randoms = { client: random, server: hello.random }
  const { share, isAsked } = await readServer(client, randoms)
  if (isAsked) {
    const chain = (certificate?.chain ?? []).map((der) => vector(3, der))
    await flights.send(message(messageTypes.certificate, vector(3, ...chain)))
  }
  await flights.send(message(messageTypes.clientKeyExchange, vector(1, await rawKey(shareOf(shares, share.group)))))
  const shared = await sharedSecret(shares, share)
  const master = hello.hasExtendedMasterSecret
    ? extendedMaster(suite, shared, flights.transcript)
    : plainMaster(suite, shared, randoms)
  if (isAsked && certificate !== undefined) {
    const { scheme, signature } = await proofOf(certificate, joined(...flights.transcript))
    await flights.send(message(messageTypes.certificateVerify, joined(number(scheme, 2), vector(2, signature))))
  }
  const protection = protectionOf(suite, master, randoms)
  await flights.records.writeChangeCipherSpec()
  flights.records.sendWith(protection.client)
  await flights.send(message(messageTypes.finished, finishedOf12(suite, master, 'client', flights.transcript)))
  await flights.changeReceived(protection.server)
  const expected = finishedOf12(suite, master, 'server', flights.transcript)
  const finished = await flights.expect(messageTypes.finished)
  if (finished.length !== expected.length || !timingSafeEqual(finished, expected))
    throw new TlsError('local error: tls: error decrypting message')
}
