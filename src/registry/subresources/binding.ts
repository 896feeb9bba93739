/**
 * The subresource pods/binding: assigns a Pod to a node. Follows BindingREST of k8s.io/kubernetes/pkg/registry/core/pod/storage.
 */
import type { Pod } from '../../catalog/generated/types/core.v1.ts'
import type { Kind } from '../../catalog/kind.ts'
import type { Target } from '../../clusters/operation.ts'
import { parseJson } from '../../go/json.ts'
import { compareText } from '../../go/text.ts'
import { ApiError, badRequest, conflict, notFound } from '../../meta/errors.ts'
import { aggregate, type FieldError, notSupported, required } from '../../meta/field-error.ts'
import { nameIsPathSegment } from '../../meta/names.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import type { Stored } from '../../storage/store.ts'
import { commit } from '../commit.ts'
import { preconditionFailed, unmet } from '../preconditions.ts'
import type { Registry, WriteResult } from '../registry.ts'
import { keyOf, objectOf } from '../stored-object.ts'
import type { CommitScope } from '../write-scope.ts'
import { keepPod, setPodCondition } from './pod-object.ts'
import { created } from './success.ts'

interface Binding extends KubernetesObject {
  target: { kind?: string; name?: string }
}

const subject = { group: '', resource: 'pods/binding' }

/**
 * Validates what a Binding assigns its Pod to, before the validating phase of its admission.
 * @throws ApiError 500 without a reason, as kube-apiserver does
 */
export function checkTarget(binding: KubernetesObject): void {
  const { kind = '', name = '' } = (binding as Binding).target
  const errors: FieldError[] = [
    ...(kind === '' || kind === 'Node' ? [] : [notSupported('target.kind', kind, ['Node', '<empty>'])]),
    ...(name === '' ? [required('target.name')] : []),
  ]
  if (errors.length > 0) throw new ApiError(500, '', aggregate(errors))
}

/** Validates the name of the Pod. @throws ApiError 400 */
function checkName({ metadata: { name = '' } }: Binding): void {
  if (name === '') throw badRequest('Name parameter required.')
  const wrong = nameIsPathSegment(name, false)
  if (wrong.length > 0) throw badRequest(`Name parameter invalid: "${name}": ${wrong.join(';')}`)
}

/** Compares the uid and the resourceVersion of the Binding with those of the Pod. Returns the precondition that fails, if any. */
function failedPrecondition({ metadata }: Binding, existing: Stored, pod: Pod): string | undefined {
  const { uid = '', resourceVersion = '' } = metadata
  if (uid !== '' && uid !== pod.metadata.uid) return unmet('UID', uid, pod.metadata.uid)
  const current = String(existing.resourceVersion)
  return resourceVersion === '' || resourceVersion === current ? undefined : unmet('ResourceVersion', resourceVersion, current)
}

/** Returns the reason why the Pod cannot be assigned; undefined if it can. */
function refusal({ metadata, spec }: Pod): string | undefined {
  const { name = '', deletionTimestamp } = metadata
  if (deletionTimestamp !== undefined) return `pod ${name} is being deleted, cannot be assigned to a host`
  if ((spec.nodeName ?? '') !== '') return `pod ${name} is already assigned to node "${spec.nodeName}"`
  if ((spec.schedulingGates ?? []).length > 0) return `pod ${name} has non-empty .spec.schedulingGates`
  return undefined
}

type Texts = Readonly<Record<string, string>>

const merged = (before: Texts, added: Texts): Record<string, string> =>
  Object.fromEntries(Object.entries({ ...before, ...added }).sort(([a], [b]) => compareText(a, b)))

function assign(pod: Pod, { metadata, target }: Binding, now: number): void {
  pod.spec.nodeName = target.name ?? ''
  delete pod.status.nominatedNodeName
  const { annotations = {}, labels = {} } = metadata
  if (Object.keys(annotations).length > 0) pod.metadata.annotations = merged(pod.metadata.annotations ?? {}, annotations)
  if (Object.keys(labels).length > 0) pod.metadata.labels = merged(pod.metadata.labels ?? {}, labels)
  setPodCondition(pod, { type: 'PodScheduled', status: 'True' }, now)
}

function bindIn({ registry, transaction, kind }: CommitScope, target: Target, binding: Binding, dryRun: boolean): WriteResult {
  const existing = transaction.get(keyOf(kind, target.namespace, target.name))
  if (existing === undefined) throw notFound(kind, target.name)
  const pod = objectOf(existing) as Pod
  const failed = failedPrecondition(binding, existing, pod)
  if (failed !== undefined) throw preconditionFailed(kind, target, failed, dryRun)
  const why = refusal(pod)
  if (why !== undefined) throw conflict(subject, target.name, why)
  assign(pod, binding, registry.now())
  if (!dryRun) keepPod(transaction, kind, existing, pod)
  return created
}

/**
 * Assigns a Pod to a node.
 * @param kind the Pod kind
 * @param text the Binding's JSON, decoded by the Worker
 * @throws ApiError 400 for an invalid name, 404 if the Pod does not exist, 409 if it is assigned, gated or being deleted
 */
export function bind(registry: Registry, kind: Kind, target: Target, dryRun: boolean, text: string): Promise<WriteResult> {
  const binding = parseJson(text, 'verbatim') as unknown as Binding
  checkName(binding)
  return commit(registry, (transaction) => bindIn({ registry, transaction, kind }, target, binding, dryRun))
}
