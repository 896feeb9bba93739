/** Uses in the metadata of an object: the last applied manifest, field managers and owners. */
import { parseJson } from '../go/json.ts'
import { isObject } from '../go/json-object.ts'
import { JsonSyntaxError } from '../go/json-syntax.ts'
import type { JsonObject } from '../go/json-value.ts'
import { changesOf } from './guide.ts'
import { convertedManifest } from './manifest.ts'
import { apiVersionText, type Removal, type Removals } from './removals.ts'
import type { PatchOperation, Use } from './report.ts'
import { advised, goneAdvice, memberList, memberObject, memberText, patched, pointer, useOf } from './use.ts'

const lastAppliedKey = 'kubectl.kubernetes.io/last-applied-configuration'

/** Parses JSON that a client wrote; undefined if it is no object. */
function parsedObject(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text)
    return isObject(value) ? value : undefined
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined
    throw error
  }
}

/** Returns the advice for a manifest that nothing converts. */
function manifestAdvice(removal: Removal): string {
  if (removal.replacement === undefined) return goneAdvice(removal)
  return `write the manifest as ${apiVersionText(removal.replacement)}, and apply it`
}

/** Finds the use of a version by the manifest that `kubectl apply` keeps. */
export function lastAppliedUse(metadata: JsonObject, removals: Removals): Use | undefined {
  const text = memberText(memberObject(metadata, 'annotations'), lastAppliedKey)
  const manifest = text === '' ? undefined : parsedObject(text)
  if (manifest === undefined) return undefined
  const removal = removals.ofKind(memberText(manifest, 'apiVersion'), memberText(manifest, 'kind'))
  if (removal === undefined) return undefined
  const path = pointer('metadata', 'annotations', lastAppliedKey)
  const converted = convertedManifest(manifest, removal)
  const mend =
    converted === undefined
      ? advised(manifestAdvice(removal))
      : patched({ op: 'test', path, value: text }, { op: 'replace', path, value: `${JSON.stringify(converted)}\n` })
  return useOf(removal, 'lastApplied', path, mend)
}

/** An entry of managedFields. */
interface ManagerEntry {
  readonly name: string
  readonly operation: string
  readonly apiVersion: string
  readonly subresource: string
  readonly time: string
}

const entryOf = (entry: JsonObject): ManagerEntry => ({
  name: memberText(entry, 'manager'),
  operation: memberText(entry, 'operation'),
  apiVersion: memberText(entry, 'apiVersion'),
  subresource: memberText(entry, 'subresource'),
  time: memberText(entry, 'time'),
})

/** Returns the patch that brings an entry to the version that is served, or removes it if the manager has such an entry. */
function entryPatch(entries: readonly ManagerEntry[], index: number, apiVersion: string): readonly PatchOperation[] {
  const entry = entries[index]
  if (entry === undefined) return []
  const at = pointer('metadata', 'managedFields', index)
  const tests: readonly PatchOperation[] = [
    { op: 'test', path: `${at}/manager`, value: entry.name },
    { op: 'test', path: `${at}/apiVersion`, value: entry.apiVersion },
  ]
  const isDouble = entries.some(
    ({ name, operation, subresource, apiVersion: other }) =>
      name === entry.name && operation === entry.operation && subresource === entry.subresource && other === apiVersion,
  )
  return isDouble
    ? [...tests, { op: 'remove', path: at }]
    : [...tests, { op: 'replace', path: `${at}/apiVersion`, value: apiVersion }]
}

/** Finds the uses by field managers. The last entries come first, so that the patches of one object can be joined. */
export function managerUses(metadata: JsonObject, kind: string, removals: Removals): Use[] {
  const entries = memberList(metadata, 'managedFields').map((entry) => entryOf(isObject(entry) ? entry : {}))
  const found = entries.flatMap((entry, index): Use[] => {
    const removal = removals.ofKind(entry.apiVersion, kind)
    if (removal === undefined) return []
    const { name, operation, subresource, time } = entry
    const manager = { name, operation, ...(subresource !== '' && { subresource }), ...(time !== '' && { time }) }
    const path = pointer('metadata', 'managedFields', index)
    return [useOf(removal, 'managedFields', path, managerMend(removal, entries, index), manager)]
  })
  return found.reverse()
}

function managerMend(removal: Removal, entries: readonly ManagerEntry[], index: number): Use['mend'] {
  if (removal.replacement === undefined) return advised(goneAdvice(removal))
  const apiVersion = apiVersionText(removal.replacement)
  const former = apiVersionText(removal)
  if (changesOf(former, removal.kind).movesFields !== undefined) {
    return advised(`${entries[index]?.name} must write the object as ${apiVersion}: the paths of its fields are others there`)
  }
  return patched(...entryPatch(entries, index, apiVersion))
}

/** Finds the uses by owner references. The garbage collector cannot find such an owner. */
export function ownerUses(metadata: JsonObject, removals: Removals): Use[] {
  return memberList(metadata, 'ownerReferences').flatMap((owner, index): Use[] => {
    if (!isObject(owner)) return []
    const removal = removals.ofKind(memberText(owner, 'apiVersion'), memberText(owner, 'kind'))
    if (removal === undefined) return []
    const path = pointer('metadata', 'ownerReferences', index)
    return [useOf(removal, 'ownerReference', path, referenceMend(removal, path))]
  })
}

/** Returns the mend of a field with an apiVersion and a kind. @param path the place of the object that has both */
export function referenceMend(removal: Removal, path: string): Use['mend'] {
  const { replacement, kind } = removal
  if (replacement === undefined) return advised(goneAdvice(removal))
  return patched(
    { op: 'test', path: `${path}/apiVersion`, value: apiVersionText(removal) },
    { op: 'replace', path: `${path}/apiVersion`, value: apiVersionText(replacement) },
    ...(kind === replacement.kind ? [] : [{ op: 'replace', path: `${path}/kind`, value: replacement.kind } as const]),
  )
}
