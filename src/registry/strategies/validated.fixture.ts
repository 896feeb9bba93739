/** How tests ask a kind's strategy what is wrong with an object. */

import type { Kind } from '../../catalog/kind.ts'
import { kindOf } from '../../catalog/scheme.ts'
import type { JsonObject } from '../../go/json-value.ts'
import { type FieldError, invalidValue } from '../../meta/field-error.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { recordExplicitEmpty } from '../../schema/explicit-empty.ts'
import { strategyOf } from '../strategy.ts'

/** `<group>/<version>/<resource>`, an object without its metadata, and what kube-apiserver tells of it when it is new. */
export type Created = readonly [kind: string, object: JsonObject, told: readonly string[]]
/** The same of an object and what it becomes. */
export type Changed = readonly [kind: string, from: JsonObject, to: JsonObject, told: readonly string[]]

/** The kind of that path. */
export function find(path: string): Kind {
  const [resource = '', version = '', group = ''] = path.split('/').reverse()
  const kind = kindOf(group, version, resource)
  if (kind === undefined) throw new Error(`no ${path}`)
  return kind
}

/** The object as a strategy gets it. */
export function objectOf(kind: Kind, rest: JsonObject): KubernetesObject {
  const sent = { metadata: { name: 'a', namespace: 'n', resourceVersion: '1' }, ...rest }
  const { object, explicitEmpty = [] } = kind.codec.decode(sent, undefined, 'Ignore')
  const stored = kind.conversion?.toStorage(object) ?? object
  recordExplicitEmpty(stored, explicitEmpty)
  return stored
}

const told = (errors: readonly FieldError[] | undefined): string[] => (errors ?? []).map(({ field, text }) => `${field}: ${text}`)

/** What is found wrong with a new object. */
export function toldOfNew([path, object]: Created): string[] {
  const kind = find(path)
  const { validate, validateNameOf } = strategyOf(kind)
  const created = objectOf(kind, object)
  const { name = '' } = created.metadata
  const problems = validateNameOf?.(created)(name, false) ?? []
  return told([...problems.map((text) => invalidValue('metadata.name', name, text)), ...(validate?.(created, kind) ?? [])])
}

/** What is found wrong with a change. */
export function toldOfChange([path, from, to]: Changed): string[] {
  const kind = find(path)
  const { updateChecks, validateUpdate, validateChange } = strategyOf(kind)
  const [object, old] = [objectOf(kind, to), objectOf(kind, from)]
  const found = updateChecks.map((check) => {
    if (check === 'object') return validateUpdate?.(object, old, kind, () => {})
    return check === 'difference' ? validateChange?.(object, old) : undefined
  })
  return found.flatMap((errors) => told(errors))
}
