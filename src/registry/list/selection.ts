/** Parses the label and field selectors of list, watch and deletecollection. */
import type { Kind } from '../../catalog/kind.ts'
import type { Selection, Target } from '../../clusters/operation.ts'
import { parseJson } from '../../go/json.ts'
import { badRequest } from '../../meta/errors.ts'
import {
  type FieldSelector,
  matchesFields,
  parseFieldSelector,
  requiredFieldValue,
  supportedFieldSelector,
} from '../../meta/field-selector.ts'
import { type LabelRequirement, type LabelSelector, type Labels, parseLabelSelector } from '../../meta/label-selector.ts'
import { LruCache } from '../../meta/lru-cache.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import type { IndexHints, Stored } from '../../storage/store.ts'
import { keyOf, objectOf, prefixOf } from '../stored-object.ts'

/** A parsed selection: the keys to read, and the predicate for their objects (storage.SelectionPredicate). */
export interface Selected {
  readonly prefix: string
  /** The only key that can be selected, if the selection requires a name (and a namespace). */
  readonly key: string | undefined
  /** Undefined if every object under the prefix is selected. */
  readonly matches: ((object: Stored) => boolean) | undefined
  /** Whether `matches` reads values. If not, keys and labels suffice. */
  readonly readsValue: boolean
  /** Hints by which the store excludes objects before `matches` is called. */
  readonly indexHints?: IndexHints | undefined
}

function parsed<T>(parse: (text: string) => T, text: string): T {
  try {
    return parse(text)
  } catch (error) {
    throw badRequest(error instanceof Error ? error.message : String(error))
  }
}

const metadataLabels: ReadonlySet<string> = new Set(['metadata.name', 'metadata.namespace'])

/** Returns the fields that are part of the key, without reading the value. */
function keyFields(kind: Kind, key: string): Readonly<Record<string, string>> {
  const rest = key.slice(kind.storage.prefix.length + 1)
  const slash = rest.indexOf('/')
  if (!kind.namespaced || slash < 0) return { 'metadata.name': rest, 'metadata.namespace': '' }
  return { 'metadata.name': rest.slice(slash + 1), 'metadata.namespace': rest.slice(0, slash) }
}

/** A cache of the last two parsed values: all watchers of an event need the labels or the object of the new and the old state. */
class LastParsed<T> {
  readonly #parse: (stored: Stored) => T
  #last: readonly [Stored, T] | undefined
  #before: readonly [Stored, T] | undefined

  constructor(parse: (stored: Stored) => T) {
    this.#parse = parse
  }

  of(stored: Stored): T {
    if (this.#last?.[0] === stored) return this.#last[1]
    if (this.#before?.[0] === stored) return this.#before[1]
    const parsed = this.#parse(stored)
    this.#before = this.#last
    this.#last = [stored, parsed]
    return parsed
  }
}

const lastLabels = new LastParsed((stored) => JSON.parse(stored.labels) as Labels)
const lastObjects = new LastParsed(objectOf)

/** Returns the object in the version that selectors read. */
function selectableObject(kind: Kind, object: Stored): KubernetesObject {
  const { codec } = kind
  if (codec.internalVersion === 'storage') return lastObjects.of(object)
  return parseJson(codec.toRequestVersion(codec.valueOf(object))) as unknown as KubernetesObject
}

/** Returns the labels that a selector reads: a conversion webhook may change them, so its kinds are parsed. */
function labelsOf(kind: Kind, object: Stored): Labels | undefined {
  if (kind.conversion?.remote !== undefined) return selectableObject(kind, object).metadata.labels
  return object.labels === '' ? undefined : lastLabels.of(object)
}

function matcher(kind: Kind, labels: LabelSelector, fields: FieldSelector): Selected['matches'] {
  const needsValue = fields.terms.map((t) => t.field).filter((f) => !metadataLabels.has(f))
  const hasLabels = labels.requirements.length > 0
  if (!hasLabels && fields.terms.length === 0) return undefined
  return (object) => {
    if (hasLabels && !labels.matches(labelsOf(kind, object))) return false
    if (fields.terms.length === 0) return true
    const known = keyFields(kind, object.key)
    return matchesFields(
      fields,
      needsValue.length === 0 ? known : { ...known, ...kind.codec.selectableFields(selectableObject(kind, object), needsValue) },
    )
  }
}

/** Returns a text that the JSON of all matching labels contains; undefined if the requirement implies no such text. */
function labelMark({ key, operator, values: [only, ...others] }: LabelRequirement): string | undefined {
  if (operator === '!=' || operator === 'notin' || operator === '!') return undefined
  const exact = operator === '=' || operator === '==' || operator === 'in'
  return exact && only !== undefined && others.length === 0 ? `"${key}":"${only}"` : `"${key}":`
}

function indexHintsOf(kind: Kind, { requirements }: LabelSelector, name: string | undefined): IndexHints | undefined {
  const labels = requirements.flatMap((requirement) => labelMark(requirement) ?? [])
  if (labels.length === 0 && name === undefined) return undefined
  // A longer text is found in fewer objects.
  const selective = labels.sort((a, b) => b.length - a.length)
  return { labels: selective, keyEnd: name === undefined ? '' : `${kind.namespaced ? '/' : ''}${name}` }
}

/** Parsed selections that are cached for each kind. */
const REMEMBERED = 1_000
/** Characters of the longest selection that is cached. */
const REMEMBERED_LENGTH = 2_000
const selections = new WeakMap<Kind, LruCache<string, Selected>>()

/**
 * Parses a selection. Equal selections return the same object: watchers with the same `matches` share encoded events.
 * @throws ApiError 400 for selectors that do not parse or name fields that the kind does not support
 */
export function select(kind: Kind, target: Target, selection: Selection): Selected {
  const known = selections.get(kind) ?? new LruCache<string, Selected>(REMEMBERED)
  selections.set(kind, known)
  const name = JSON.stringify([target.namespace, selection.labelSelector, selection.fieldSelector])
  const found = known.get(name)
  if (found !== undefined) return found
  const selected = parse(kind, target, selection)
  if (name.length <= REMEMBERED_LENGTH) known.set(name, selected)
  return selected
}

function parse(kind: Kind, target: Target, selection: Selection): Selected {
  const labels = parsed(parseLabelSelector, selection.labelSelector)
  const fields = supportedFieldSelector(parsed(parseFieldSelector, selection.fieldSelector), kind.codec.fieldLabels())
  const name = requiredFieldValue(fields, 'metadata.name')
  const inNamespace = kind.namespaced ? requiredFieldValue(fields, 'metadata.namespace') : undefined
  const namespace = target.namespace || (inNamespace ?? '')
  const single = name !== undefined && (!kind.namespaced || namespace !== '')
  return {
    prefix: prefixOf(kind, namespace),
    key: single ? keyOf(kind, namespace, name) : undefined,
    matches: matcher(kind, labels, fields),
    readsValue: fields.terms.some(({ field }) => !metadataLabels.has(field)),
    indexHints: indexHintsOf(kind, labels, name),
  }
}
