/** `edgeplane undo`: writes the objects of a cluster as they were at a time. */
import type { JsonObject } from '../../go/json-value.ts'
import { type Api, type ApiRequest, messageIn } from '../api.ts'
import { cleaned, type Manifest, nameOf, namespaceOf, ownersOf, textAt } from '../transfer/manifest.ts'
import { wavesOf } from '../transfer/order.ts'
import { groupPath, type Resource, resourcesOf } from '../transfer/source.ts'
import { type Change, described, objectOf } from './changes.ts'

/** A choice of objects. */
export interface UndoSelection {
  readonly namespace: string | undefined
  /** Labels that the objects must have; empty for any. */
  readonly labels: Readonly<Record<string, string>>
}

/** A write that takes one change back. */
interface Step {
  readonly verb: 'create' | 'update' | 'delete'
  readonly object: Manifest
  readonly path: string
  readonly body: JsonObject
}

/** The result of an undo: what was or would be written, and what cannot be. */
export interface Undone {
  readonly written: readonly string[]
  readonly impossible: readonly string[]
}

const methods = { create: 'POST', update: 'PUT', delete: 'DELETE' } as const

/** Whether a change is selected. Objects with owners are left to them: their controllers make and delete them. */
export function isSelected(change: Change, { namespace, labels }: UndoSelection): boolean {
  const object = objectOf(change)
  if (namespace !== undefined && namespaceOf(object) !== namespace) return false
  const isMadeOrDeleted = change.before === undefined || change.after === undefined
  if (isMadeOrDeleted && ownersOf(object).length > 0) return false
  const own = (object.metadata.labels ?? {}) as Readonly<Record<string, unknown>>
  return Object.entries(labels).every(([name, value]) => own[name] === value)
}

function pathOf(resources: readonly Resource[], object: Manifest): string | undefined {
  const [version = '', group = ''] = object.apiVersion.split('/').reverse()
  const found = resources.find((one) => one.group === group && one.kind === object.kind)
  if (found === undefined) return undefined
  const namespace = found.namespaced ? `/namespaces/${encodeURIComponent(namespaceOf(object))}` : ''
  return `${groupPath(group, version)}${namespace}/${found.name}`
}

/** Returns the write that takes a change back; undefined if the resource does not exist any more. */
function stepOf(resources: readonly Resource[], { before, after }: Change): Step | undefined {
  const object = (before ?? after) as Manifest
  const collection = pathOf(resources, object)
  if (collection === undefined) return undefined
  const path = `${collection}/${encodeURIComponent(nameOf(object))}`
  if (after === undefined) return { verb: 'create', object, path: collection, body: cleaned(object) }
  const [uid, resourceVersion] = [textAt(after.metadata, 'uid'), textAt(after.metadata, 'resourceVersion')]
  // Nothing is overwritten that has changed since it was read.
  if (before === undefined) {
    return { verb: 'delete', object, path, body: { preconditions: { uid, resourceVersion } } }
  }
  const former = cleaned(before)
  return { verb: 'update', object, path, body: { ...former, metadata: { ...former.metadata, uid, resourceVersion } } }
}

/** Returns the steps in their order: what others depend on is made first and deleted last. */
function orderOf(steps: readonly Step[]): readonly Step[] {
  const waves = wavesOf(steps.map(({ object }) => object)).flat()
  const sorted = steps.toSorted((one, other) => waves.indexOf(one.object) - waves.indexOf(other.object))
  return [...sorted.filter(({ verb }) => verb !== 'delete'), ...sorted.filter(({ verb }) => verb === 'delete').reverse()]
}

/** Returns the request of a step. The parameters of a URL do not count for a DELETE with a body. */
function requestOf({ verb, path, body }: Step, mode: 'try' | 'write'): ApiRequest {
  const method = methods[verb]
  if (mode === 'write') return { method, path, body: JSON.stringify(body) }
  if (verb === 'delete') return { method, path, body: JSON.stringify({ ...body, dryRun: ['All'] }) }
  return { method, path: `${path}?dryRun=All`, body: JSON.stringify(body) }
}

/**
 * Takes changes back.
 * @param mode `try` asks the server what it would do and writes nothing
 */
export async function undo(api: Api, changes: readonly Change[], mode: 'try' | 'write'): Promise<Undone> {
  const resources = await resourcesOf(api)
  const written: string[] = []
  const impossible: string[] = []
  const steps: Step[] = []
  for (const change of changes) {
    const step = stepOf(resources, change)
    if (step === undefined) impossible.push(`${described(objectOf(change))}: its resource does not exist any more`)
    else steps.push(step)
  }
  const made = new Set(
    steps.filter(({ verb, object }) => verb === 'create' && object.kind === 'Namespace').map(({ object }) => nameOf(object)),
  )
  for (const { verb, object, path, body } of orderOf(steps)) {
    const text = `${verb} ${described(object)}`
    // A namespace that is still to be made cannot be asked about.
    if (mode === 'write' || !made.has(namespaceOf(object))) {
      const answer = await api.send(requestOf({ verb, object, path, body }, mode), [400, 403, 404, 405, 409, 422, 500])
      if (answer.status >= 300) {
        impossible.push(`${text}: ${messageIn(answer.text)}`)
        continue
      }
    }
    written.push(text)
  }
  return { written, impossible }
}
