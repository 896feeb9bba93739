/** `edgeplane restore`: replaces the contents of a cluster by those of a backup. */
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
  readonly restoring?: { readonly id: string }
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

/** Sends the lines of each section to its object. */
async function sendLines(api: Api, id: string, file: string): Promise<void> {
  let object = ''
  let pending = ''
  const send = async (): Promise<void> => {
    if (pending !== '') await api.json(pathOf('lines', object, id), pending)
    pending = ''
  }
  for await (const line of linesIn(file)) {
    if (line.startsWith('{"section":')) object = (JSON.parse(line) as { section: string }).section
    else if (line.startsWith('{"end":')) await send()
    else if (object !== '') {
      if (pending.length + line.length > chunkCharacters) await send()
      pending += `${line}\n`
    }
  }
}

/**
 * Restores a checked backup. Until the end the cluster answers 503. A restore that was interrupted can be started again.
 * @param mode `empty` refuses a cluster that is used
 * @throws LauncherError
 */
export async function restore(api: Api, file: string, summary: BackupSummary, mode: 'empty' | 'replace'): Promise<void> {
  const { names } = await api.json<{ names: readonly string[] }>('/edgeplane/v1/objects')
  const control = names.at(-1) ?? ''
  const { restoring } = await api.json<ObjectState>(pathOf('state', control), {})
  if (mode === 'empty' && restoring === undefined && (await isUsed(api, names))) {
    throw new LauncherError(`${api.url} holds objects already: --replace deletes them and restores the backup instead.`)
  }
  const sections = new Map(summary.sections.map((section) => [section.name, section]))
  if (!sections.has(control)) throw new LauncherError(`The backup cannot be used: it has no section ${control}.`)
  const all = [...new Set([...names, ...sections.keys()])]
  const others = all.filter((name) => name !== control)
  const id = randomUUID()
  const begin = (name: string): Promise<unknown> =>
    api.json(pathOf('begin', name), { id, names: name === control ? others : [], contents: 'delete' })
  // The control object first: without it nobody but administrators is served.
  await begin(control)
  await forEach(others, async (name) => void (await begin(name)))
  await sendLines(api, id, file)
  const finish = async (name: string): Promise<void> => {
    const section: Section | undefined = sections.get(name)
    const atLeast = versionSince(section?.resourceVersion ?? 0, summary.takenAt, Date.now())
    await api.json(pathOf('finish', name), { id, objects: section?.objects ?? 0, atLeast })
  }
  await forEach(others, finish)
  await finish(control)
}
