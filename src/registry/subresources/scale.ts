/** scale: how many replicas there are to be, in one form for all kinds that have replicas. Follows the ScaleREST of k8s.io/kubernetes. */
import type { Kind } from '../../catalog/kind.ts'
import { scalePrinter } from '../../catalog/printers/autoscaling.ts'
import type { Target, WriteOptions } from '../../clusters/operation.ts'
import { parseJson } from '../../go/json.ts'
import type { JsonObject } from '../../go/json-value.ts'
import { badRequest, conflict, invalid } from '../../meta/errors.ts'
import { type FieldError, invalidValue } from '../../meta/field-error.ts'
import { formatLabelSelector } from '../../meta/label-selector.ts'
import { type LabelSelectorObject, labelSelectorFrom } from '../../meta/label-selector-object.ts'
import type { KubernetesObject, ManagedFieldsEntry } from '../../meta/object-meta.ts'
import type { Stored, Transaction } from '../../storage/store.ts'
import { kindMetaErrors } from '../create.ts'
import { setManagers, trackUpdate } from '../managed-fields.ts'
import type { Registry, WriteResult } from '../registry.ts'
import { toRequestVersion } from '../stored-object.ts'
import { strategyOf } from '../strategy.ts'
import { checkUid, replaceIn } from '../update.ts'
import { managedFieldsOfParent, managedFieldsOfScale } from './scale-managed-fields.ts'
import type { SubresourceView } from './view.ts'

/** What a kind with replicas has. */
interface Scalable extends KubernetesObject {
  spec: { replicas?: number; selector?: LabelSelectorObject | Record<string, string> }
  status?: { replicas?: number }
}

/** A Scale of autoscaling/v1. */
export interface Scale extends KubernetesObject {
  spec: { replicas?: number }
}

/** A ReplicationController's selector is a map of labels; the others' are objects. */
function selectorText({ spec: { selector } }: Scalable): string {
  if (selector === undefined) return ''
  const isObject = Object.values(selector).some((value) => typeof value !== 'string')
  try {
    return formatLabelSelector(labelSelectorFrom(isObject ? selector : { matchLabels: selector as Record<string, string> }))
  } catch (error) {
    throw badRequest(error instanceof Error ? error.message : '')
  }
}

/** The Scale of an object: metadata that tells which one it is, and no more. */
function scaleOf(kind: Kind, object: KubernetesObject): Scale {
  const scalable = object as Scalable
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata
  const { replicas = 0 } = scalable.spec
  return {
    kind: kind.kind,
    apiVersion: kind.apiVersion,
    metadata: {
      ...(name !== undefined && { name }),
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(creationTimestamp !== undefined && { creationTimestamp }),
    },
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: scalable.status?.replicas ?? 0, selector: selectorText(scalable) },
  }
}

/** The Scale with the owners of the replicas: what a write changes. */
function ownedScaleOf(kind: Kind, parentKind: Kind, object: KubernetesObject): Scale {
  const scale = scaleOf(kind, object)
  const owners = managedFieldsOfScale(object.metadata.managedFields ?? [], parentKind, kind)
  if (owners.length > 0) scale.metadata.managedFields = owners
  return scale
}

/** What is wrong with a Scale. */
export function scaleErrors(kind: Kind, scale: Scale): FieldError[] {
  const { replicas = 0 } = scale.spec
  return [
    ...kindMetaErrors(scale, strategyOf(kind), kind),
    ...(replicas < 0 ? [invalidValue('spec.replicas', replicas, 'must be greater than or equal to 0')] : []),
  ]
}

/** @throws ApiError 409 where a patch names another uid; what a PUT names is a precondition of the object itself */
export function checkPatchedUid(kind: Kind, { name }: Target, scale: Scale, old: KubernetesObject): void {
  const { uid } = scale.metadata
  if (uid === undefined || uid === old.metadata.uid) return
  const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.metadata.uid ?? ''}`
  throw conflict({ group: kind.group, resource: `${kind.resource}/scale` }, name, why)
}

/** The view of an object with replicas as a Scale of this kind. */
export function scaleView(scaleKind: Kind): SubresourceView {
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
    const old = parseJson(toRequestVersion(kind, existing.value)) as unknown as Scalable
    const scale = object as Scale
    checkUid(kind, target, write, scale, old)
    if (old.metadata.namespace !== undefined) scale.metadata.namespace = old.metadata.namespace
    const { subresource } = target
    const by = { manager: write.manager, subresource, resetFields: strategyOf(scaleKind).resetFieldsOf('') }
    if (managers !== undefined) setManagers(scale, managers)
    else trackUpdate(registry, scaleKind, scale, ownedScaleOf(scaleKind, kind, old), by)
    const errors = scaleErrors(scaleKind, scale)
    if (errors.length > 0) throw invalid(scaleKind, target.name, errors)
    checkPatchedUid(kind, target, scale, old)
    const scaled = withScale(kind, scaleKind, old, scale)
    const { code, text } = replaceIn(registry, transaction, kind, { ...target, subresource: '' }, write, existing, scaled, old)
    return { code, text: JSON.stringify(scaleOf(scaleKind, parseJson(text) as unknown as KubernetesObject)) }
  }
  return {
    kind: scaleKind,
    printer: scalePrinter,
    show: (object) => scaleOf(scaleKind, object) as unknown as JsonObject,
    beforePatch: (kind, object) => ownedScaleOf(scaleKind, kind, object) as unknown as JsonObject,
    updateIn,
  }
}

/** The object with the replicas that the Scale asks for, under the version that it is based on. */
function withScale(kind: Kind, scaleKind: Kind, old: Scalable, scale: Scale): Scalable {
  const { managedFields: before = [], resourceVersion: _version, ...metadata } = old.metadata
  const { resourceVersion } = scale.metadata
  const managedFields = managedFieldsOfParent(before, scale.metadata.managedFields ?? [], kind, scaleKind)
  return {
    ...old,
    metadata: {
      ...metadata,
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(managedFields.length > 0 && { managedFields }),
    },
    spec: { ...old.spec, replicas: scale.spec.replicas ?? 0 },
  }
}
