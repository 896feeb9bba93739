/** scale of a custom resource: the definition says where the replicas are. Follows ScaleREST of apiextensions-apiserver. */
import type { Kind, ScalePaths } from '../../catalog/kind.ts'
import { ageColumn, type ColumnOf, name, printer } from '../../catalog/printers/column.ts'
import { child, number } from '../../catalog/printers/read.ts'
import type { Target, WriteOptions } from '../../clusters/operation.ts'
import { isRawNumber, parseJson } from '../../go/json.ts'
import type { JsonObject, JsonValue } from '../../go/json-value.ts'
import { ApiError, badRequest, internalError } from '../../meta/errors.ts'
import type { KubernetesObject, ManagedFieldsEntry } from '../../meta/object-meta.ts'
import type { Stored, Transaction } from '../../storage/store.ts'
import { setManagers, trackUpdate } from '../managed-fields.ts'
import type { Registry, WriteResult } from '../registry.ts'
import { toRequestVersion } from '../stored-object.ts'
import { strategyOf } from '../strategy.ts'
import { checkUid, replaceIn } from '../update.ts'
import { checkPatchedUid, type Scale } from './scale.ts'
import { managedFieldsOfParent, managedFieldsOfScale } from './scale-managed-fields.ts'
import type { SubresourceView } from './view.ts'

const replicasColumn = (name: string, description: string, of: 'spec' | 'status'): ColumnOf<JsonObject> => ({
  name,
  type: 'integer',
  description,
  cell: (scale) => number(child(scale, of), 'replicas'),
})

/** Upstream shows these scales by columns as definitions have them. */
const customScalePrinter = printer([
  name,
  replicasColumn('Desired', 'Number of desired replicas', 'spec'),
  replicasColumn('Available', 'Number of actual replicas', 'status'),
  { ...ageColumn, type: 'date' },
])

/** What stands for replicas that an object does not have, so that a write that leaves them out is seen. */
const unset = -(2 ** 31)

function valueAt(object: KubernetesObject, path: readonly string[]): JsonValue | undefined {
  let at: JsonValue | undefined = object as unknown as JsonObject
  for (const field of path) {
    if (typeof at !== 'object' || at === null || Array.isArray(at) || isRawNumber(at)) return undefined
    at = (at as JsonObject)[field]
  }
  return at
}

function integerAt(object: KubernetesObject, path: readonly string[]): number | undefined {
  const value = valueAt(object, path)
  if (value === undefined || typeof value === 'number') return value
  throw new ApiError(500, '', `.${path.join('.')} accessor error: ${JSON.stringify(value)} is not an integer`)
}

/** The Scale of an object; its replicas are undefined where it has none. */
function scaleOf(kind: Kind, object: KubernetesObject, paths: ScalePaths): { scale: Scale; replicas: number | undefined } {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata
  const replicas = integerAt(object, paths.specReplicas)
  const selector = paths.labelSelector === undefined ? undefined : valueAt(object, paths.labelSelector)
  const metadata = {
    ...(name !== undefined && { name }),
    ...(namespace !== undefined && { namespace }),
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
    ...(creationTimestamp !== undefined && { creationTimestamp }),
  }
  const status = {
    replicas: integerAt(object, paths.statusReplicas) ?? 0,
    ...(typeof selector === 'string' && selector !== '' && { selector }),
  }
  const spec = (replicas ?? 0) === 0 ? {} : { replicas: replicas ?? 0 }
  return { scale: { kind: kind.kind, apiVersion: kind.apiVersion, metadata, spec, status }, replicas }
}

/** The Scale that a write is based on. */
function ownedScaleOf(kind: Kind, parentKind: Kind, object: KubernetesObject, paths: ScalePaths): Scale {
  const { scale, replicas } = scaleOf(kind, object, paths)
  if (replicas === undefined) scale.spec.replicas = unset
  const owners = managedFieldsOfScale(object.metadata.managedFields ?? [], parentKind, kind, paths.specReplicas)
  if (owners.length > 0) scale.metadata.managedFields = owners
  return scale
}

function setAt(object: JsonObject, [field, ...rest]: readonly string[], value: JsonValue): void {
  if (field === undefined) return
  const below = object[field]
  if (rest.length === 0) object[field] = value
  else if (typeof below === 'object' && below !== null && !Array.isArray(below)) setAt(below as JsonObject, rest, value)
  else {
    const made: JsonObject = {}
    object[field] = made
    setAt(made, rest, value)
  }
}

/** The object with the replicas that the Scale asks for, under the version that it is based on. */
function withScale(kind: Kind, scaleKind: Kind, old: KubernetesObject, scale: Scale, paths: ScalePaths): KubernetesObject {
  const { managedFields: before = [], resourceVersion: own, ...metadata } = old.metadata
  const resourceVersion = scale.metadata.resourceVersion ?? own
  const managedFields = managedFieldsOfParent(before, scale.metadata.managedFields ?? [], kind, scaleKind, paths.specReplicas)
  const scaled = structuredClone({ ...old, metadata: {} }) as KubernetesObject
  scaled.metadata = {
    ...metadata,
    ...(resourceVersion !== undefined && { resourceVersion }),
    ...(managedFields.length > 0 && { managedFields }),
  }
  setAt(scaled as unknown as JsonObject, paths.specReplicas, scale.spec.replicas ?? 0)
  return scaled
}

/** The view of a custom resource as a Scale. */
export function customScaleView(scaleKind: Kind, paths: ScalePaths): SubresourceView {
  const dotted = `.${paths.specReplicas.join('.')}`
  const updateIn = (
    registry: Registry,
    transaction: Transaction,
    kind: Kind,
    target: Target,
    write: WriteOptions,
    existing: Stored,
    object: KubernetesObject,
    managers?: readonly ManagedFieldsEntry[],
  ): WriteResult => {
    const old = parseJson(toRequestVersion(kind, existing.value)) as unknown as KubernetesObject
    const scale = object as Scale
    checkUid(kind, target, write, scale, old)
    if (old.metadata.namespace !== undefined) scale.metadata.namespace = old.metadata.namespace
    const by = {
      manager: write.manager,
      subresource: target.subresource,
      resetFields: strategyOf(scaleKind).resetFieldsOf(''),
    }
    if (managers !== undefined) setManagers(scale, managers)
    else trackUpdate(registry, scaleKind, scale, ownedScaleOf(scaleKind, kind, old, paths), by)
    if (scale.spec.replicas === unset) throw badRequest(`the spec replicas field "${dotted}" cannot be empty`)
    checkPatchedUid(kind, target, scale, old)
    const scaled = withScale(kind, scaleKind, old, scale, paths)
    const { code, text } = replaceIn(registry, transaction, kind, { ...target, subresource: '' }, write, existing, scaled, old)
    return { code, text: JSON.stringify(scaleOf(scaleKind, parseJson(text) as unknown as KubernetesObject, paths).scale) }
  }
  return {
    kind: scaleKind,
    printer: customScalePrinter,
    show: (object) => {
      const { scale, replicas } = scaleOf(scaleKind, object, paths)
      if (replicas === undefined) throw internalError(`the spec replicas field "${dotted}" does not exist`)
      return scale as unknown as JsonObject
    },
    beforePatch: (kind, object) => ownedScaleOf(scaleKind, kind, object, paths) as unknown as JsonObject,
    updateIn,
  }
}
