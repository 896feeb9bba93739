/** GET /edgeplane/v1/backup: the contents of all Durable Objects of the cluster, as lines of JSON (docs/backup-format.md). */

import { allKinds } from '../../catalog/scheme.ts'
import type { CollectionClient } from '../../clusters/collection-client.ts'
import { send } from '../../clusters/message.ts'
import { objectProtocol } from '../../clusters/object-protocol.ts'
import { controlOf, placementNamed } from '../../clusters/placement.ts'
import { release } from '../../config/release.ts'
import { logError } from '../../meta/log.ts'
import { stateOf } from './requests.ts'

/** The number of the format. A change that an earlier release would misunderstand raises it. */
const format = 2

/**
 * Returns the names of the cluster's Durable Objects, the control object last. While the control object is being restored, it
 * knows those of the restore, and nothing else: not even the placement of the cluster.
 */
export async function objectNames(client: CollectionClient): Promise<readonly string[]> {
  const control = controlOf(client.cluster).name
  const { restoring, names = [] } = await stateOf(client, control)
  const others = restoring === undefined ? await builtInNames(client) : restoring.names
  const known = [...others, ...names].filter((name) => name !== control)
  return [...new Set(known), control]
}

/** Objects that the server itself has created are in collections that are not registered: all built-in ones are asked. */
async function builtInNames(client: CollectionClient): Promise<string[]> {
  const stored = [...allKinds()].filter(({ storage, verbs }) => storage !== undefined && verbs.has('list'))
  const placements = await Promise.all(stored.map(({ storage }) => client.placementOf(storage)))
  return placements.map(({ name }) => name)
}

/** Writes the lines of one Durable Object. Resolves to whether it has any. */
async function writeSection(client: CollectionClient, name: string, writable: WritableStream<Uint8Array>): Promise<boolean> {
  const { status, body } = await send(client.get(placementNamed(name)), objectProtocol.readBackup)
  if (status === 204 || body === null) return false
  await body.pipeTo(writable, { preventClose: true, preventAbort: true })
  return true
}

async function writeAll(client: CollectionClient, names: readonly string[], writable: WritableStream<Uint8Array>): Promise<void> {
  const write = async (line: object): Promise<void> => {
    const writer = writable.getWriter()
    await writer.write(new TextEncoder().encode(`${JSON.stringify(line)}\n`))
    writer.releaseLock()
  }
  try {
    await write({ backup: 'edgeplane', format, release, takenAt: new Date().toISOString() })
    let sections = 0
    for (const name of names) if (await writeSection(client, name, writable)) sections++
    await write({ end: 'backup', sections })
    await writable.close()
  } catch (error) {
    logError('a backup was not completed', error)
    // The client sees that the end is missing.
    await writable.abort(error).catch(() => undefined)
  }
}

/** Returns a stream of the backup. It ends early if a Durable Object fails. */
export async function serveBackup(client: CollectionClient, waitUntil: (work: Promise<void>) => void): Promise<Response> {
  const names = await objectNames(client)
  const { readable, writable } = new IdentityTransformStream()
  waitUntil(writeAll(client, names, writable))
  return new Response(readable, { headers: { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' } })
}
