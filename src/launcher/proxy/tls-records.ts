/** Reads a TLS connection without its keys, which hide all but the types and lengths of its records (RFC 8446, section 5.1). */

const headerLength = 5
const changeCipherSpec = 20
const applicationData = 23

/** The longest record, with what a cipher may add. */
const longestRecord = headerLength + 2 ** 14 + 2048

/**
 * Tells whether bytes contain a whole first record, which is the client's greeting. Bytes that are no TLS are whole at once: the
 * server refuses them.
 */
export function hasFirstRecord(bytes: Buffer): boolean {
  const [type] = bytes
  if (type !== 22) return type !== undefined
  if (bytes.length < headerLength) return false
  const length = headerLength + bytes.readUInt16BE(3)
  return bytes.length >= Math.min(length, longestRecord)
}

/**
 * Watches a client's records for its first application data. The first protected record is the client's Finished: in TLS 1.3 it has the
 * type of application data itself, in TLS 1.2 it follows the change of the cipher.
 */
export class ClientRecords {
  #header = Buffer.alloc(0)
  /** Bytes of the current record that have not come yet. */
  #left = 0
  #hasChanged = false
  #hasFinished = false

  /** Reads bytes; tells whether application data has begun, after which it need not be called. */
  hasApplicationData(chunk: Buffer): boolean {
    let rest = chunk
    while (rest.length > 0) {
      if (this.#left === 0) {
        const missing = headerLength - this.#header.length
        this.#header = Buffer.concat([this.#header, rest.subarray(0, missing)])
        rest = rest.subarray(missing)
        if (this.#header.length < headerLength) return false
        if (this.#isApplicationData(this.#header)) return true
        this.#left = this.#header.readUInt16BE(3)
        this.#header = Buffer.alloc(0)
      }
      const skipped = Math.min(this.#left, rest.length)
      this.#left -= skipped
      rest = rest.subarray(skipped)
    }
    return false
  }

  #isApplicationData([type]: Buffer): boolean {
    if (type === changeCipherSpec) this.#hasChanged = true
    else if (this.#hasFinished) return type === applicationData
    else if (type === applicationData || this.#hasChanged) this.#hasFinished = true
    return false
  }
}
