/** `edgeplane restore` and `edgeplane import ARCHIVE`: replace the contents of a cluster by those of a backup. */
import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { Api } from '../api.ts'
import { LauncherError, reasonOf } from '../launcher-error.ts'
import { forEach } from '../parallel.ts'
import { isOfServer, type Manifest } from '../transfer/manifest.ts'
import { BackupChecker, type BackupSummary, linesOf, type Section } from './archive.ts'
import { versionSince } from './versions.ts'

/** About as many characters are sent at once, or one line if it is longer. */
const chunkCharacters = 512 * 1024

/** The state of a Durable Object. */
interface ObjectState {
  readonly resourceVersion: number
  readonly objects: number
  readonly restoring?: object
}

const pathOf = (step: string, object: string, id = ''): string =>
  `/edgeplane/v1/${step}?object=${encodeURIComponent(object)}${id === '' ? '' : `&id=${id}`}`

/** The collections in which the server itself creates objects, for a namespace each. */
const automatic =
  /^[^/]+\/\/(?:serviceaccounts|configmaps|events|services|endpoints)$|^[^/]+\/(?:networking|discovery|coordination)\.k8s\.io\//

async function* linesIn(file: string): AsyncGenerator<string> {
  try {
    yield* linesOf(createReadStream(file) as AsyncIterable<Uint8Array>)
  } catch (error) {
    if (error instanceof LauncherError) throw error
    throw new LauncherError(`The backup ${file} cannot be read: ${reasonOf(error)}.`)
  }
}

/** Reads a whole backup. @throws LauncherError if it is torn or changed */
export async function checkBackup(file: string): Promise<BackupSummary> {
  const checker = new BackupChecker()
  for await (const line of linesIn(file)) checker.next(line)
  return checker.summary()
}

/** Whether the cluster has namespaces, definitions or objects that the server has not created by itself. */
async function isUsed(api: Api, names: readonly string[]): Promise<boolean> {
  const { items } = await api.json<{ items: readonly unknown[] }>('/api/v1/namespaces')
  if (items.length > 4) return true
  const { items: configMaps } = await api.json<{ items: readonly Manifest[] }>('/api/v1/configmaps')
  if (configMaps.some((each) => !isOfServer({ ...each, apiVersion: 'v1', kind: 'ConfigMap' }))) return true
  let used = false
  await forEach(
    names.filter((name) => !name.endsWith('/control') && !automatic.test(name)),
    async (name) => {
      used ||= (await api.json<ObjectState>(pathOf('state', name), {})).objects > 0
    },
  )
  return used
}

/** How a backup is restored. */
export interface RestoreOptions {
  /** `empty` refuses a cluster that is used; `replace` deletes what it holds. */
  readonly mode: 'empty' | 'replace'
  /** `unsigned`: Cluster objects are restored also without a signature of this deployment. */
  readonly clusters: 'signed' | 'unsigned'
}

/** A restore under way. */
interface Sending {
  readonly api: Api
  readonly id: string
  /** Returns the name of the Durable Object that gets the section with a name. */
  readonly objectOf: (section: string) => string
  readonly clusters: RestoreOptions['clusters']
}

/** Sends the lines of each section to its object. Returns the numbers of objects that are left out, by object. */
async function sendLines({ api, id, objectOf, clusters }: Sending, file: string): Promise<ReadonlyMap<string, number>> {
  const leftOut = new Map<string, number>()
  let object = ''
  let pending = ''
  const send = async (): Promise<void> => {
    if (pending !== '') {
      const answer = await api.json<{ leftOut: number }>(`${pathOf('lines', object, id)}&clusters=${clusters}`, pending)
      leftOut.set(object, (leftOut.get(object) ?? 0) + answer.leftOut)
    }
    pending = ''
  }
  for await (const line of linesIn(file)) {
    if (line.startsWith('{"section":')) object = objectOf((JSON.parse(line) as { section: string }).section)
    else if (line.startsWith('{"end":')) await send()
    else if (object !== '') {
      if (pending.length + line.length > chunkCharacters) await send()
      pending += `${line}\n`
    }
  }
  return leftOut
}

/** How long a server may replace the contents, in milliseconds, and the pause before it is asked again. */
const patience = 600_000
const pause = 1000

/** Has the server replace the contents. It goes on by itself, also if the connection is cut: the request is repeated until it is done. */
async function finish(api: Api, control: string, body: object): Promise<void> {
  for (const end = Date.now() + patience; ; ) {
    try {
      await api.json(pathOf('finish', control), body)
      return
    } catch (error) {
      const isRefused = error instanceof LauncherError && / answers 4\d\d: /.test(error.message)
      if (isRefused || Date.now() > end) throw error
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }
}

/**
 * Restores a checked backup, of whichever cluster. Until the server has all of it, the cluster keeps and serves its contents; then
 * it answers 503 until they are replaced. A restore that was interrupted can be started again.
 * @returns the number of objects that were restored
 * @throws LauncherError
 */
export async function restore(api: Api, file: string, summary: BackupSummary, options: RestoreOptions): Promise<number> {
  const { names } = await api.json<{ names: readonly string[] }>('/edgeplane/v1/objects')
  const control = names.at(-1) ?? ''
  const cluster = clusterOf(control)
  const objectOf = (section: string): string => cluster + section.slice(clusterOf(section).length)
  const requireEmpty = async (): Promise<void> => {
    const { restoring } = await api.json<ObjectState>(pathOf('state', control), {})
    if (options.mode === 'replace' || restoring !== undefined || !(await isUsed(api, names))) return
    throw new LauncherError(`${api.url} holds objects already: --replace deletes them and restores the backup instead.`)
  }
  const sections = new Map(summary.sections.map((section) => [objectOf(section.name), section]))
  if (!sections.has(control)) throw new LauncherError(`The backup cannot be used: it has no section ${control}.`)
  await requireEmpty()
  const id = randomUUID()
  const leftOut = await sendLines({ api, id, objectOf, clusters: options.clusters }, file)
  // Somebody may have used the cluster meanwhile.
  await requireEmpty()
  const objects = [...new Set([...names, ...sections.keys()])].map((name) => {
    const section: Section | undefined = sections.get(name)
    const atLeast = versionSince(section?.resourceVersion ?? 0, summary.takenAt, Date.now())
    return { name, objects: (section?.objects ?? 0) - (leftOut.get(name) ?? 0), atLeast }
  })
  await finish(api, control, { id, objects })
  return objects.reduce((sum, object) => sum + object.objects, 0)
}

/** Returns the cluster of a Durable Object's name. */
const clusterOf = (name: string): string => name.split('/', 1)[0] ?? ''
