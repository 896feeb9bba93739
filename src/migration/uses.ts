/** All uses of removed versions by one object or manifest. */
import { isObject } from '../go/json-object.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { jsonPatch } from '../patch/json-patch.ts'
import { convertedManifest } from './manifest.ts'
import { lastAppliedUse, managerUses, ownerUses, referenceMend } from './metadata-uses.ts'
import { apiVersionText, groupVersionOf, type Removal, type Removals } from './removals.ts'
import type { Use } from './report.ts'
import { ruleUses } from './rule-uses.ts'
import { advised, firstOf, goneAdvice, memberObject, memberText, pointer, useOf } from './use.ts'

/**
 * The depth to which references are searched, the most characters of their place, and the most of one object: names of fields may be as
 * long as an object, and each reference below repeats them.
 */
const deepest = 64
const longestPath = 4096
const mostReferences = 1000

/** Returns the mend of a field: of a whole manifest its conversion, and of a reference the two fields. */
function fieldMend(field: JsonObject, removal: Removal, path: string): Use['mend'] {
  if (field.spec === undefined) return referenceMend(removal, path)
  const converted = convertedManifest(field, removal)
  if (converted === undefined)
    return removal.replacement === undefined ? advised(goneAdvice(removal)) : referenceMend(removal, path)
  return { type: 'json-patch', patch: [{ op: 'replace', path, value: converted }] }
}

/** Finds fields that name an object, or contain one, with apiVersion and kind. */
function* references(value: JsonValue | undefined, path: string, depth: number, removals: Removals): Generator<Use> {
  if (depth > deepest || path.length > longestPath || typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) {
    const object = value as JsonObject
    const removal = removals.ofKind(memberText(object, 'apiVersion'), memberText(object, 'kind'))
    if (removal !== undefined) {
      yield useOf(removal, 'reference', path, fieldMend(object, removal, path))
      return
    }
  }
  for (const [name, member] of Object.entries(value)) yield* references(member, path + pointer(name), depth + 1, removals)
}

/** Finds the uses in the fields beside metadata and status. */
function fieldUses(object: JsonObject, removals: Removals): Use[] {
  const { apiVersion: _apiVersion, kind: _kind, metadata: _metadata, status: _status, ...fields } = object
  return firstOf(references(fields, '', 0, removals), mostReferences)
}

/**
 * Finds all uses by a stored object, or by its metadata alone.
 * @param object with the apiVersion and kind in which the server shows it
 */
export function usesOfObject(object: JsonObject, removals: Removals): Use[] {
  const [apiVersion, kind] = [memberText(object, 'apiVersion'), memberText(object, 'kind')]
  const metadata = memberObject(object, 'metadata') ?? {}
  const own = removals.ofKind(apiVersion, kind)
  // Another version shows the same object, unless there is no other: then its fields are of no importance.
  if (own !== undefined && own.replacement === undefined) return [useOf(own, 'object', '', advised(goneAdvice(own)))]
  const applied = lastAppliedUse(metadata, removals)
  return [
    ...(applied === undefined ? [] : [applied]),
    ...managerUses(metadata, kind, removals),
    ...ownerUses(metadata, removals),
    ...fieldUses(object, removals),
    ...ruleUses(object, groupVersionOf(apiVersion).group, kind, removals),
  ]
}

/** Returns the advice for a manifest that nothing converts. */
const conversionAdvice = (removal: Removal): string =>
  removal.replacement === undefined ? goneAdvice(removal) : `write it as ${apiVersionText(removal.replacement)}`

/** The uses of a manifest, and the manifest without them. */
interface ManifestUses {
  readonly uses: readonly Use[]
  /** Undefined if there are no uses, or if a person has to write it. */
  readonly mended: JsonObject | undefined
}

/** Returns a manifest with the patches of its uses; undefined if one cannot be applied. */
function patchedManifest(manifest: JsonObject, uses: readonly Use[]): JsonObject | undefined {
  const operations = uses.flatMap(({ mend }) => (mend.type === 'json-patch' ? mend.patch : []))
  if (operations.length === 0) return manifest
  try {
    const mended = jsonPatch(manifest, JSON.stringify(operations))
    return isObject(mended) ? mended : undefined
  } catch {
    // The conversion has moved the field.
    return undefined
  }
}

/** Finds all uses by a manifest, which a client will send as it is. */
export function usesOfManifest(manifest: JsonObject, removals: Removals): ManifestUses {
  const [apiVersion, kind] = [memberText(manifest, 'apiVersion'), memberText(manifest, 'kind')]
  const own = removals.ofKind(apiVersion, kind)
  const inner = [
    ...ownerUses(memberObject(manifest, 'metadata') ?? {}, removals),
    ...fieldUses(manifest, removals),
    ...ruleUses(manifest, groupVersionOf(apiVersion).group, kind, removals),
  ]
  const isPatched = inner.some(({ mend }) => mend.type === 'json-patch')
  if (own === undefined) return { uses: inner, mended: isPatched ? patchedManifest(manifest, inner) : undefined }
  const converted = convertedManifest(manifest, own)
  const mend: Use['mend'] = converted === undefined ? advised(conversionAdvice(own)) : { type: 'manifest' }
  return {
    uses: [useOf(own, 'manifest', '', mend), ...inner],
    mended: converted === undefined ? undefined : patchedManifest(converted, inner),
  }
}

/** Finds the use by a manifest of a Helm release. Its path is the kind and the name of the manifest. */
export function usesInRelease(manifest: JsonObject, release: string, removals: Removals): Use[] {
  const removal = removals.ofKind(memberText(manifest, 'apiVersion'), memberText(manifest, 'kind'))
  if (removal === undefined) return []
  const path = pointer(removal.kind, memberText(memberObject(manifest, 'metadata'), 'name'))
  const { replacement } = removal
  const advice = `upgrade ${release} to a chart ${replacement === undefined ? 'without it' : `that has ${apiVersionText(replacement)}`} before the server: Helm cannot read the release afterwards`
  return [useOf(removal, 'helmRelease', path, advised(advice))]
}
