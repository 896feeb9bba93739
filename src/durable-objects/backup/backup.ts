/** The backup of one Durable Object: its contents as a stream of lines. */

import { createHash } from 'node:crypto'
import type { ArchiveSignatures } from '../../auth/archive-signatures.ts'
import { isDeploymentKey, kubeconfigSecrets } from '../../clusters/deployment-objects.ts'
import { clusterOf, defaultCluster, placementNamed } from '../../clusters/placement.ts'
import { clusterPrefix } from '../../controllers/cluster/collection.ts'
import type { Kernel } from '../../controllers/kernel.ts'
import { tokenKeysKey } from '../../controllers/token-signer.ts'
import { type ArchivedObject, type ArchiveLine, archivedObjects, lineText } from '../../storage/archive.ts'
import type { ObjectContents } from './restore.ts'

/** The storage keys of the former storage versions of custom resources. */
const epochsPrefix = 'storage-versions'

/** Streams chunks as they are read, until the last one. Calls `ended` once, also when a chunk cannot be made. */
function streamOf(next: () => readonly [Uint8Array, 'more' | 'last'], ended: () => void): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        try {
          const [bytes, position] = next()
          controller.enqueue(bytes)
          if (position === 'more') return
          controller.close()
        } catch (error) {
          controller.error(error)
        }
        ended()
      },
      cancel: ended,
    },
    { highWaterMark: 0 },
  )
}

/** Reads the contents of one Durable Object for backups. */
export class Backup {
  readonly #kernel: Kernel
  readonly #contents: ObjectContents
  readonly #signatures: ArchiveSignatures
  #readers = 0

  constructor(kernel: Kernel, contents: ObjectContents, signatures: ArchiveSignatures) {
    this.#kernel = kernel
    this.#contents = contents
    this.#signatures = signatures
  }

  /** Whether a backup is being read. Its history must not be compacted meanwhile. */
  get isBeingRead(): boolean {
    return this.#readers > 0
  }

  /** Returns a stream of the contents at one resourceVersion; 204 if nothing was ever written. */
  async read(): Promise<Response> {
    const { ctx, database, name, store } = this.#kernel
    if (!database.hasTables) return new Response(null, { status: 204 })
    const { resourceVersion } = store
    const first = `${JSON.stringify({ section: name, resourceVersion })}\n`
    const entries = this.#entries(Date.now()).map(lineText)
    const prefixes = this.#contents.prefixes().map((prefix) => `${prefix}/`)
    const objects = archivedObjects(store, prefixes, resourceVersion)
    this.#readers++
    try {
      // A write that is not yet durable could be lost after it was read.
      await ctx.storage.sync()
      return new Response(this.#stream([first, ...entries], objects))
    } catch (error) {
      this.#readers--
      throw error
    }
  }

  /** Returns what a backup has besides the objects: the signing keys, and in which versions custom resources were stored. */
  #entries(now: number): ArchiveLine[] {
    const { ctx, name } = this.#kernel
    const { kv } = ctx.storage
    const epochs = [...kv.list({ prefix: epochsPrefix })].map(([key, value]): ArchiveLine => ({ key, value }))
    const keys = placementNamed(name).class === 'control' ? kv.get(tokenKeysKey) : undefined
    return keys === undefined ? epochs : [this.#signatures.sign({ key: tokenKeysKey, value: keys }, now), ...epochs]
  }

  /** Returns the lines of the objects that leave the cluster. The kubeconfigs of named clusters never do. */
  #linesOf(objects: readonly ArchivedObject[], now: number): string[] {
    const { name } = this.#kernel
    const leaves = ({ object: key }: ArchivedObject): boolean =>
      clusterOf(name) === defaultCluster ? !key.startsWith(kubeconfigSecrets) : !isDeploymentKey(key)
    const line = (object: ArchivedObject): ArchivedObject =>
      object.object.startsWith(clusterPrefix) ? this.#signatures.sign(object, now) : object
    return objects.filter(leaves).map((object) => lineText(line(object)))
  }

  /** Streams lines, and an end line with their number and their hash. */
  #stream(beginning: readonly string[], objects: Iterator<ArchivedObject[]>): ReadableStream<Uint8Array> {
    const hash = createHash('sha256')
    const encoder = new TextEncoder()
    let pending: readonly string[] | undefined = beginning
    let count = 0
    const encoded = (lines: readonly string[]): Uint8Array => {
      const bytes = encoder.encode(lines.join(''))
      hash.update(bytes)
      return bytes
    }
    /** Returns the next bytes, and whether they are the last ones. */
    const next = (): readonly [Uint8Array, 'more' | 'last'] => {
      if (pending !== undefined) {
        const lines = pending
        pending = undefined
        return [encoded(lines), 'more']
      }
      const page = objects.next()
      if (page.done === true) {
        const end = { end: this.#kernel.name, objects: count, sha256: hash.digest('hex') }
        return [encoder.encode(`${JSON.stringify(end)}\n`), 'last']
      }
      const lines = this.#linesOf(page.value, Date.now())
      count += lines.length
      return [encoded(lines), 'more']
    }
    return streamOf(next, () => void this.#readers--)
  }
}
