/** Runs the validation of a kind's strategy in tests. */

import type { Kind } from '../../catalog/kind.ts'
import { kindOf } from '../../catalog/scheme.ts'
import type { JsonObject } from '../../go/json-value.ts'
import { type FieldError, invalidValue } from '../../meta/field-error.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { withExplicitEmptyOf } from '../../schema/explicit-empty.ts'
import { strategyOf } from '../strategy.ts'

/** A row of `<group>/<version>/<resource>`, an object without metadata, and the errors of kube-apiserver on create. */
export type Created = readonly [kind: string, object: JsonObject, errors: readonly string[]]
/** A row of the resource, the old object, the new object, and the errors of kube-apiserver on update. */
export type Changed = readonly [kind: string, from: JsonObject, to: JsonObject, errors: readonly string[]]

/** Returns the kind of `<group>/<version>/<resource>`. */
export function find(path: string): Kind {
  const [resource = '', version = '', group = ''] = path.split('/').reverse()
  const kind = kindOf(group, version, resource)
  if (kind === undefined) throw new Error(`no ${path}`)
  return kind
}

/** Returns the object as a strategy gets it: defaulted and in the internal version. */
export function objectOf(kind: Kind, rest: JsonObject): KubernetesObject {
  const sent = { metadata: { name: 'a', namespace: 'n', resourceVersion: '1' }, ...rest }
  const { object } = kind.codec.decode(sent, undefined, 'Ignore')
  return withExplicitEmptyOf(object, kind.conversion?.toStorage(object) ?? object)
}

const messagesOf = (errors: readonly FieldError[] | undefined): string[] =>
  (errors ?? []).map(({ field, text }) => `${field}: ${text}`)

/** Returns the errors of a create. */
export function toldOfNew([path, object]: Created): string[] {
  const kind = find(path)
  const { validate, validateNameOf } = strategyOf(kind)
  const created = objectOf(kind, object)
  const { name = '' } = created.metadata
  const problems = validateNameOf?.(created)(name, false) ?? []
  return messagesOf([...problems.map((text) => invalidValue('metadata.name', name, text)), ...(validate?.(created, kind) ?? [])])
}

/** Returns the errors of an update. */
export function toldOfChange([path, from, to]: Changed): string[] {
  const kind = find(path)
  const { updateChecks, validateUpdate, validateChange } = strategyOf(kind)
  const [object, old] = [objectOf(kind, to), objectOf(kind, from)]
  const found = updateChecks.map((check) => {
    if (check === 'object') return validateUpdate?.(object, old, kind, () => {})
    return check === 'difference' ? validateChange?.(object, old) : undefined
  })
  return found.flatMap(messagesOf)
}
