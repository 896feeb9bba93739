/** `edgeplane undo`: writes the objects of a cluster as they were at a time. */
import { createHash } from 'node:crypto'
import type { JsonObject } from '../../go/json-value.ts'
import { type Api, type ApiRequest, messageIn } from '../api.ts'
import { cleaned, type Manifest, nameOf, namespaceOf, ownersOf, textAt } from '../transfer/manifest.ts'
import { wavesOf } from '../transfer/order.ts'
import { groupPath, type Resource, resourcesOf } from '../transfer/source.ts'
import { type Change, described, objectOf } from './changes.ts'
import { recreated, restored, restoredManagers } from './restored.ts'

/** A choice of objects. */
export interface UndoSelection {
  readonly namespace: string | undefined
  /** Labels that the objects must have; empty for any. */
  readonly labels: Readonly<Record<string, string>>
}

/** A write that takes one change back. */
interface Step {
  readonly verb: 'create' | 'update' | 'delete'
  readonly change: Change
  readonly object: Manifest
  /** The path of the object. */
  readonly path: string
  readonly request: ApiRequest
}

/** The result of an undo: what was or would be written, and what cannot be. */
export interface Undone {
  readonly written: readonly string[]
  readonly impossible: readonly string[]
}

/** Codes of responses that make a step impossible, and not the whole undo. */
const refusals = [400, 403, 404, 405, 409, 422, 500]

/** Whether a change is selected. Objects with owners are left to them: their controllers make and delete them. */
export function isSelected(change: Change, { namespace, labels }: UndoSelection): boolean {
  const object = objectOf(change)
  if (namespace !== undefined && namespaceOf(object) !== namespace) return false
  const isMadeOrDeleted = change.before === undefined || change.after === undefined
  if (isMadeOrDeleted && ownersOf(object).length > 0) return false
  const own = (object.metadata.labels ?? {}) as Readonly<Record<string, unknown>>
  return Object.entries(labels).every(([name, value]) => own[name] === value)
}

/** Returns a name for what an undo would write. It is another one as soon as the undo would write anything else. */
export function planOf(changes: readonly Change[]): string {
  const states = changes.map(({ before, after }) => [before && cleaned(before), after && cleaned(after)])
  return createHash('sha256').update(JSON.stringify(states)).digest('hex').slice(0, 12)
}

function pathOf(resources: readonly Resource[], object: Manifest): string | undefined {
  const [version = '', group = ''] = object.apiVersion.split('/').reverse()
  const resource = resources.find((one) => one.group === group && one.kind === object.kind)
  if (resource === undefined) return undefined
  const namespace = resource.namespaced ? `/namespaces/${encodeURIComponent(namespaceOf(object))}` : ''
  return `${groupPath(group, version)}${namespace}/${resource.name}`
}

/** Returns the write that takes a change back; undefined if the resource does not exist any more. */
function stepOf(resources: readonly Resource[], change: Change): Step | undefined {
  const { before, after } = change
  const object = (before ?? after) as Manifest
  const collection = pathOf(resources, object)
  if (collection === undefined) return undefined
  const path = `${collection}/${encodeURIComponent(nameOf(object))}`
  const step = { change, object, path }
  if (after === undefined) {
    return { ...step, verb: 'create', request: { method: 'POST', path: collection, body: JSON.stringify(recreated(object)) } }
  }
  if (before === undefined) {
    // Nothing is deleted or overwritten that has changed since it was read.
    const preconditions = { uid: textAt(after.metadata, 'uid'), resourceVersion: textAt(after.metadata, 'resourceVersion') }
    return { ...step, verb: 'delete', request: { method: 'DELETE', path, body: JSON.stringify({ preconditions }) } }
  }
  return { ...step, verb: 'update', request: { method: 'PUT', path, body: JSON.stringify(restored(before, after)) } }
}

/** Returns the steps in their order: what others depend on is made first and deleted last. */
function orderOf(steps: readonly Step[]): readonly Step[] {
  const waves = wavesOf(steps.map(({ object }) => object)).flat()
  const sorted = steps.toSorted((one, other) => waves.indexOf(one.object) - waves.indexOf(other.object))
  return [...sorted.filter(({ verb }) => verb !== 'delete'), ...sorted.filter(({ verb }) => verb === 'delete').reverse()]
}

/** Returns a request that the server only tries. The parameters of a URL do not count for a DELETE with a body. */
function tried(request: ApiRequest): ApiRequest {
  if (request.method !== 'DELETE') return { ...request, path: `${request.path}?dryRun=All` }
  return { ...request, body: JSON.stringify({ ...(JSON.parse(request.body ?? '{}') as JsonObject), dryRun: ['All'] }) }
}

/**
 * Restores the field managers of an object that was written. Its changed fields belong to this program then, as with every write;
 * a write that changes nothing but the managers leaves exactly these.
 * @returns the message of a refusal
 */
async function restoreManagers(api: Api, { change, path }: Step, text: string): Promise<string | undefined> {
  const present = JSON.parse(text) as Manifest
  const managedFields = change.before && restoredManagers(change.before, present)
  if (managedFields === undefined) return undefined
  const body = JSON.stringify({ metadata: { resourceVersion: textAt(present.metadata, 'resourceVersion'), managedFields } })
  const answer = await api.send({ method: 'PATCH', path, body, type: 'application/merge-patch+json' }, refusals)
  return answer.status < 300 ? undefined : `its field managers were not restored: ${messageIn(answer.text)}`
}

/** Writes a step. @returns the reason why it is impossible */
async function perform(api: Api, step: Step, mode: 'try' | 'write'): Promise<string | undefined> {
  const answer = await api.send(mode === 'write' ? step.request : tried(step.request), refusals)
  if (answer.status >= 300) return messageIn(answer.text)
  return mode === 'write' && step.verb !== 'delete' ? restoreManagers(api, step, answer.text) : undefined
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
  const namespaces = new Set(
    steps.filter(({ verb, object }) => verb === 'create' && object.kind === 'Namespace').map(({ object }) => nameOf(object)),
  )
  for (const step of orderOf(steps)) {
    const text = `${step.verb} ${described(step.object)}`
    // The server cannot be asked about objects in a namespace that is still to be made.
    const isUnasked = mode === 'try' && namespaces.has(namespaceOf(step.object))
    const reason = isUnasked ? undefined : await perform(api, step, mode)
    if (reason === undefined) written.push(text)
    else impossible.push(`${text}: ${reason}`)
  }
  return { written, impossible }
}
