/**
 * The subresource scale: the requested replicas of an object, as a Scale for every kind with replicas.
 * Follows ScaleREST of k8s.io/kubernetes for built-in kinds, and that of apiextensions-apiserver for custom resources.
 */
import type { Kind } from '../../catalog/kind.ts'
import type { Printer } from '../../catalog/printers/printer.ts'
import { parseJson } from '../../go/json.ts'
import { isObject } from '../../go/json-object.ts'
import type { JsonObject, JsonValue } from '../../go/json-value.ts'
import { ApiError, conflict, internalError } from '../../meta/errors.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { admitWrite, validateWrite } from '../admission/write.ts'
import { setManagers, trackUpdate } from '../managed-fields.ts'
import { unmet } from '../preconditions.ts'
import { strategyOf } from '../strategy.ts'
import { checkUid, replaceIn } from '../update.ts'
import type { WriteRequest, WriteScope } from '../write-scope.ts'
import { managedFieldsOfParent, managedFieldsOfScale } from './scale-managed-fields.ts'
import type { SubresourceView } from './view.ts'

/** A Scale of autoscaling/v1. */
export interface Scale extends KubernetesObject {
  spec: { replicas?: number }
}

/** Reads the fields of a kind's objects that appear in their Scale. */
export interface ScaleFields {
  readonly printer: Printer
  /** The path of the replicas in the object. */
  readonly path: readonly string[]
  /** The replicas that the object requests; undefined if it has no such field. */
  readonly replicas: (object: KubernetesObject) => number | undefined
  /** The status of the object's Scale. */
  readonly status: (object: KubernetesObject) => JsonObject
  /** Throws an ApiError if the Scale may not be written. */
  readonly check: (kind: Kind, scale: Scale, name: string) => void
}

/** The value of replicas for an object without replicas: it distinguishes a Scale without the field from one with 0. */
export const unsetReplicas = -(2 ** 31)

/** Returns the Scale of an object, with only the metadata that identifies it. */
function scaleOf(scaleKind: Kind, object: KubernetesObject, fields: ScaleFields, replicas = 0): Scale {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata
  return {
    kind: scaleKind.kind,
    apiVersion: scaleKind.apiVersion,
    metadata: {
      ...(name !== undefined && { name }),
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(creationTimestamp !== undefined && { creationTimestamp }),
    },
    spec: replicas === 0 ? {} : { replicas },
    status: fields.status(object),
  }
}

/** Returns the Scale that a write changes, with the managedFields of the replicas. */
function managedScaleOf(scaleKind: Kind, kind: Kind, object: KubernetesObject, fields: ScaleFields): Scale {
  const scale = scaleOf(scaleKind, object, fields, fields.replicas(object) ?? unsetReplicas)
  const managers = managedFieldsOfScale(object.metadata.managedFields ?? [], kind, scaleKind, fields.path)
  if (managers.length > 0) scale.metadata.managedFields = managers
  return scale
}

/**
 * Checks the uid of a patched Scale. The uid of a PUT is a precondition of the object itself.
 * @throws ApiError 409 if the uid differs
 */
function checkPatchedUid({ kind, target }: WriteRequest, scale: Scale, old: KubernetesObject): void {
  const { uid } = scale.metadata
  if (uid === undefined || uid === old.metadata.uid) return
  const why = `Precondition failed: ${unmet('UID', uid, old.metadata.uid)}`
  throw conflict({ group: kind.group, resource: `${kind.resource}/scale` }, target.name, why)
}

/**
 * Returns the object with a value at the path. Copies only the objects on the path.
 * @param at the path to the object, as messages name it
 * @throws ApiError 500 if a field on the path is no object
 */
function withValueAt(object: JsonObject, [field, ...rest]: readonly string[], value: JsonValue, at = ''): JsonObject {
  if (field === undefined) return object
  if (rest.length === 0) return { ...object, [field]: value }
  const below = Object.hasOwn(object, field) ? object[field] : {}
  const here = `${at}.${field}`
  if (!isObject(below)) throw new ApiError(500, '', `value cannot be set because ${here} is not a map[string]interface{}`)
  return { ...object, [field]: withValueAt(below, rest, value, here) }
}

/** Returns the object with the replicas and the resourceVersion of the Scale. */
function withScale(kind: Kind, scaleKind: Kind, old: KubernetesObject, scale: Scale, { path }: ScaleFields): KubernetesObject {
  const { managedFields: before = [], resourceVersion: current, ...metadata } = old.metadata
  const resourceVersion = scale.metadata.resourceVersion ?? current
  const managedFields = managedFieldsOfParent(before, scale.metadata.managedFields ?? [], kind, scaleKind, path)
  const scaled = withValueAt(old as unknown as JsonObject, path, scale.spec.replicas ?? 0) as unknown as KubernetesObject
  return {
    ...scaled,
    metadata: {
      ...metadata,
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(managedFields.length > 0 && { managedFields }),
    },
  }
}

/** Returns the view of objects with replicas as Scales. */
export function scaleView(scaleKind: Kind, fields: ScaleFields): SubresourceView {
  return {
    kind: scaleKind,
    printer: fields.printer,
    show: (object) => {
      const replicas = fields.replicas(object)
      if (replicas === undefined) throw internalError(`the spec replicas field ".${fields.path.join('.')}" does not exist`)
      return scaleOf(scaleKind, object, fields, replicas) as unknown as JsonObject
    },
    beforePatch: (kind, object) => managedScaleOf(scaleKind, kind, object, fields) as unknown as JsonObject,
    updateIn: (scope, { existing, object, managers }) => {
      const { registry, kind, target, write } = scope
      const old = parseJson(kind.codec.toRequestVersion(existing.value)) as unknown as KubernetesObject
      const scale = object as Scale
      checkUid(scope, scale, old)
      if (old.metadata.namespace !== undefined) scale.metadata.namespace = old.metadata.namespace
      const before = managedScaleOf(scaleKind, kind, old, fields)
      const resetFields = strategyOf(scaleKind).resetFieldsOf('')
      const by = { manager: write.manager, subresource: target.subresource, resetFields }
      if (managers !== undefined) setManagers(scale, managers)
      else trackUpdate(registry, scaleKind, scale, before, by)
      admitWrite(scope, scale, before)
      fields.check(scaleKind, scale, target.name)
      checkPatchedUid(scope, scale, old)
      const scaled = withScale(kind, scaleKind, old, scale, fields)
      const ofObject: WriteScope = { ...scope, target: { ...target, subresource: '' } }
      const shown = (of: KubernetesObject): Scale => scaleOf(scaleKind, of, fields, fields.replicas(of))
      const admit = (next: KubernetesObject, last: KubernetesObject): void => validateWrite(scope, shown(next), shown(last))
      const complete = (next: KubernetesObject): void => kind.codec.normalize(next)
      const result = replaceIn(ofObject, { existing, object: scaled, old, admit, complete })
      const written = parseJson(result.text) as unknown as KubernetesObject
      return { ...result, text: JSON.stringify(scaleOf(scaleKind, written, fields, fields.replicas(written))) }
    },
  }
}
