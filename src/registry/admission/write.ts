/** Runs admission for writes within their commit. Writes of the server itself have no user and skip admission. */
import type { Kind } from '../../catalog/kind.ts'
import type { Target } from '../../clusters/operation.ts'
import { LookupResults } from '../../meta/lookups.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import type { Registry } from '../registry.ts'
import type { WriteRequest, WriteScope } from '../write-scope.ts'
import { admission } from './chain.ts'
import type { AdmissionAttributes, AdmissionOperation, MutatingContext, ValidatingContext } from './plugin.ts'

/** Returns the attributes of a write; undefined if the server itself writes. */
function attributesOf({ kind, target, write }: WriteRequest, operation: AdmissionOperation): AdmissionAttributes | undefined {
  const { user } = write
  if (user === undefined) return undefined
  const { subresource, namespace, name } = target
  return { operation, kind, subresource, namespace, name, user }
}

const mutatingContext = ({ lookups = new LookupResults(), names }: Registry): MutatingContext => ({ lookups, names })

/**
 * Runs the mutating phase of a create, or of an update of `old`. It may change the object.
 * @param object in the version of the request
 * @throws ApiError if a plugin rejects the write, MissingLookups
 */
export function admitWrite(scope: WriteScope, object: KubernetesObject, old?: KubernetesObject): void {
  const attributes = attributesOf(scope, old === undefined ? 'CREATE' : 'UPDATE')
  if (attributes !== undefined) admission.admit(attributes, object, old, mutatingContext(scope.registry))
}

/**
 * Runs the validating phase of a create, or of an update of `old`.
 * @param object in the internal version, which strategies see
 * @throws ApiError if a plugin rejects the write, MissingLookups
 */
export function validateWrite(scope: WriteScope, object: KubernetesObject, old?: KubernetesObject): void {
  const attributes = attributesOf(scope, old === undefined ? 'CREATE' : 'UPDATE')
  if (attributes === undefined) return
  const { registry, transaction, write } = scope
  const commit = {
    dryRun: write.dryRun,
    now: registry.now(),
    alongside: (run: () => void) => transaction.alongside(run),
  }
  admission.validate(attributes, object, old, { ...validatingContext(registry), commit })
}

const validatingContext = ({ lookups = new LookupResults(), store, quotas }: Registry): Omit<ValidatingContext, 'commit'> => ({
  lookups,
  store,
  quotas,
})

/**
 * Runs the admission of a client's deletion, after its preconditions were checked.
 * @throws ApiError if a plugin rejects it, MissingLookups
 */
export function admitDelete(registry: Registry, kind: Kind, { namespace, name }: Target, old: KubernetesObject): void {
  const attributes = { operation: 'DELETE', kind, subresource: '', namespace, name } as const
  const none: KubernetesObject = { metadata: {} }
  admission.admit(attributes, none, old, mutatingContext(registry))
  admission.validate(attributes, none, old, { lookups: registry.lookups ?? new LookupResults(), store: registry.store })
}
