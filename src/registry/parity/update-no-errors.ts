/**
 * Objects whose managedFields kube-apiserver drops. Follows fieldManager.UpdateNoErrors of k8s.io/apimachinery, which returns the
 * object without managedFields if an error occurs: an object that does not fit its type has none, although nothing rejects it.
 *
 * Recorded: mf-schema-changed, mf-reset-custom.
 */
import { fieldElement } from '../../apply/path-element.ts'
import { isEmpty, type PathSet } from '../../apply/path-set.ts'
import { validationErrors } from '../../apply/validate.ts'
import { own } from '../../apply/value.ts'
import type { Kind } from '../../catalog/kind.ts'
import type { JsonObject } from '../../go/json-value.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'

/** Returns the metadata without the managedFields that the client sent: they need not fit. */
function withoutManagers({ metadata }: KubernetesObject): JsonObject {
  const { managedFields: _, ...rest } = metadata
  return rest as unknown as JsonObject
}

/**
 * Whether fields that a write resets may not fit their types: in custom resources, and in flow control, whose conditions may lack
 * their key.
 */
const mayNotFit = ({ definition, group }: Kind): boolean => definition !== undefined || group === 'flowcontrol.apiserver.k8s.io'

/**
 * Whether the fields that a write resets fit their types. Nothing validates them, but kube-apiserver drops the managedFields of an
 * object that does not fit its type.
 */
export function fitReset(kind: Kind, object: KubernetesObject, resetFields: PathSet): boolean {
  const { type } = kind
  if (!mayNotFit(kind) || type.kind !== 'struct') return true
  return [...type.fields.values()].every((field) => {
    const reset = resetFields[fieldElement(field.name)]
    const value = field.name === 'metadata' ? withoutManagers(object) : own(object as unknown as JsonObject, field.name)
    if (reset === undefined || !isEmpty(reset as PathSet) || value === undefined) return true
    return validationErrors(field.type, value, undefined, 'allowed') === undefined
  })
}

/**
 * Whether an object and its earlier state fit the type: an update need not mend values that a changed schema no longer allows,
 * but kube-apiserver drops the managedFields.
 */
export function fit(kind: Kind, object: KubernetesObject, old: KubernetesObject, resetFields: PathSet): boolean {
  if (!kind.codec.typeChanged) return fitReset(kind, object, resetFields)
  return [object, old].every((each) => {
    const compared = { ...each, metadata: withoutManagers(each) } as unknown as JsonObject
    return validationErrors(kind.type, compared, undefined, 'allowed') === undefined
  })
}
