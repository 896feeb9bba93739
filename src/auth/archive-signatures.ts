/**
 * The signatures of a deployment on those lines of backups that are more than objects of a tenant: a restore believes them only
 * with the signature of the same deployment for the same cluster.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { type ArchiveLine, lineText } from '../storage/archive.ts'
import { deploymentKey } from './deployment-key.ts'

/** Signs and verifies lines of one cluster. */
export class ArchiveSignatures {
  readonly #key: Buffer | undefined
  readonly #uid: () => string

  /**
   * @param adminToken the setting ADMIN_TOKEN; '' if the deployment has none, which signs nothing
   * @param uid returns that of the Cluster object; '' for the default cluster
   */
  constructor(adminToken: string, uid: () => string) {
    this.#key = adminToken === '' ? undefined : deploymentKey(adminToken, 'edgeplane archives')
    this.#uid = uid
  }

  /** Returns a line with a signature. @param at when it is signed, in milliseconds since the epoch */
  sign<Line extends ArchiveLine>(line: Line, at: number): Line {
    if (this.#key === undefined) return line
    return { ...line, signature: `${at}.${this.#signature(this.#key, line, String(at)).toString('base64url')}` }
  }

  /** Whether this deployment has signed a line for this cluster. */
  verifies({ signature = '', ...line }: ArchiveLine): boolean {
    if (this.#key === undefined) return false
    const [at = '', text = ''] = signature.split('.')
    const [given, own] = [Buffer.from(text, 'base64url'), this.#signature(this.#key, line as ArchiveLine, at)]
    return given.length === own.length && timingSafeEqual(given, own)
  }

  #signature(key: Buffer, line: ArchiveLine, at: string): Buffer {
    return createHmac('sha256', key)
      .update(JSON.stringify([this.#uid(), at, lineText(line)]))
      .digest()
  }
}
