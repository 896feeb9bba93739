/** Which objects of a collection a list, watch or deletecollection is for. */
import type { Kind } from '../catalog/kind.ts'
import { fieldLabelsOf, selectableFieldsOf } from '../catalog/selectable-fields.ts'
import type { Selection, Target } from '../clusters/operation.ts'
import { badRequest } from '../meta/errors.ts'
import {
  type FieldSelector,
  matchesFields,
  parseFieldSelector,
  requiredFieldValue,
  supportedFieldSelector,
} from '../meta/field-selector.ts'
import { parseJson } from '../meta/json.ts'
import { type LabelSelector, type Labels, parseLabelSelector } from '../meta/label-selector.ts'
import type { KubernetesObject } from '../meta/object-meta.ts'
import type { Stored } from '../storage/store.ts'
import { keyOf, objectOf, prefixOf, shownValue } from './stored-object.ts'

/** A selection made ready: where to look, and what to let through. */
export interface Selected {
  readonly prefix: string
  /** The selection can hold only this key. */
  readonly key: string | undefined
  /** Undefined where every object under the prefix is selected. */
  readonly matches: ((object: Stored) => boolean) | undefined
}

function parsed<T>(parse: (text: string) => T, text: string): T {
  try {
    return parse(text)
  } catch (error) {
    throw badRequest(error instanceof Error ? error.message : String(error))
  }
}

const metadataLabels: ReadonlySet<string> = new Set(['metadata.name', 'metadata.namespace'])

/** The fields that a key tells, without reading the value. */
function keyFields(kind: Kind, key: string): Readonly<Record<string, string>> {
  const rest = key.slice(kind.storage.prefix.length + 1)
  const slash = rest.indexOf('/')
  if (!kind.namespaced || slash < 0) return { 'metadata.name': rest, 'metadata.namespace': '' }
  return { 'metadata.name': rest.slice(slash + 1), 'metadata.namespace': rest.slice(0, slash) }
}

/** Selectors of built-in kinds read what is stored, those of custom resources the version of the request. */
function selectableObject(kind: Kind, object: Stored): KubernetesObject {
  if (kind.custom === undefined) return objectOf(object)
  return parseJson(shownValue(kind, object.value)) as unknown as KubernetesObject
}

function matcher(kind: Kind, labels: LabelSelector, fields: FieldSelector): Selected['matches'] {
  const needsValue = fields.terms.map((t) => t.field).filter((f) => !metadataLabels.has(f))
  const hasLabels = labels.requirements.length > 0
  if (!hasLabels && fields.terms.length === 0) return undefined
  return (object) => {
    if (hasLabels && !labels.matches(object.labels === '' ? undefined : (JSON.parse(object.labels) as Labels))) return false
    if (fields.terms.length === 0) return true
    const known = keyFields(kind, object.key)
    return matchesFields(
      fields,
      needsValue.length === 0 ? known : { ...known, ...selectableFieldsOf(kind, selectableObject(kind, object), needsValue) },
    )
  }
}

/** @throws ApiError 400 for selectors that do not parse or name fields that the kind does not support */
export function select(kind: Kind, target: Target, selection: Selection): Selected {
  const labels = parsed(parseLabelSelector, selection.labelSelector)
  const fields = supportedFieldSelector(parsed(parseFieldSelector, selection.fieldSelector), fieldLabelsOf(kind))
  const name = requiredFieldValue(fields, 'metadata.name')
  const namespace = target.namespace || (requiredFieldValue(fields, 'metadata.namespace') ?? '')
  const single = name !== undefined && (!kind.namespaced || namespace !== '')
  return {
    prefix: prefixOf(kind, target.namespace),
    key: single ? keyOf(kind, namespace, name) : undefined,
    matches: matcher(kind, labels, fields),
  }
}
