/**
 * The messages on the socket between a Worker that serves a watch and the Durable Object of the collection.
 *
 * A message of the object is a header of 16 bytes, a first part and a second part:
 *
 *   0       the kind of the message
 *   1       1 if the Worker is to acknowledge the bytes of the second part once its client has read them
 *   4..7    the length of the first part, little-endian
 *   8..15   a resourceVersion, as a float64, little-endian
 *
 * A message of the Worker is the decimal number of the bytes that it acknowledges.
 */

/** Kinds of messages, with the meaning of their version and parts. */
export const messageKind = {
  /**
   * Events: with them the client has all selected events up to the version. If there is a first part, it is sent instead of the
   * second one to a client that was sent nothing yet (Table columns).
   */
  events: 1,
  /** A part of the initial state at the version. The first part is the key of its last object. */
  state: 2,
  /** Without bytes: the client has the initial state, and all selected events up to the version. */
  reached: 3,
  /** The watch ends. The bytes are an ERROR event, if there are any. */
  end: 4,
  /** The watch ends, and what the client has not read is dropped. */
  fail: 5,
} as const

export type MessageKind = (typeof messageKind)[keyof typeof messageKind]

/** A message of the object. */
export interface WatchMessage {
  readonly kind: MessageKind
  readonly resourceVersion: number
  readonly acknowledge: boolean
  readonly first: Uint8Array
  readonly bytes: Uint8Array
}

const headerBytes = 16
const none = new Uint8Array()
const text = new TextEncoder()
const decoder = new TextDecoder()

/** Encodes a message. A missing part is empty. */
export function encodeMessage({
  kind,
  resourceVersion = 0,
  acknowledge = false,
  first = none,
  bytes = none,
}: Partial<WatchMessage> & Pick<WatchMessage, 'kind'>): Uint8Array<ArrayBuffer> {
  const message = new Uint8Array(headerBytes + first.byteLength + bytes.byteLength)
  const view = new DataView(message.buffer)
  view.setUint8(0, kind)
  view.setUint8(1, acknowledge ? 1 : 0)
  view.setUint32(4, first.byteLength, true)
  view.setFloat64(8, resourceVersion, true)
  message.set(first, headerBytes)
  message.set(bytes, headerBytes + first.byteLength)
  return message
}

/** Decodes a message. Its parts are views of it. */
export function decodeMessage(message: ArrayBuffer): WatchMessage {
  const view = new DataView(message)
  const end = headerBytes + view.getUint32(4, true)
  return {
    kind: view.getUint8(0) as MessageKind,
    resourceVersion: view.getFloat64(8, true),
    acknowledge: view.getUint8(1) === 1,
    first: new Uint8Array(message, headerBytes, end - headerBytes),
    bytes: new Uint8Array(message, end),
  }
}

export const keyBytes = (key: string): Uint8Array => text.encode(key)
export const keyOf = ({ first }: WatchMessage): string => decoder.decode(first)
