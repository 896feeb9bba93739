/**
 * The admission plugin OwnerReferencesPermissionEnforcement: a client that changes the owners of an object needs the permission to
 * delete it, and to block the deletion of its owners. Disabled by default.
 */
import type { Kind } from '../../../catalog/kind.ts'
import { allKinds } from '../../../catalog/scheme.ts'
import { isSame } from '../../../catalog/validation/checks.ts'
import { type AccessDecision, workerLookup } from '../../../clusters/lookups.ts'
import type { KubernetesObject, OwnerReference } from '../../../meta/object-meta.ts'
import { access, type PartialAccess } from '../../access.ts'
import { type AdmissionAttributes, type AdmissionPlugin, admissionForbidden, type ValidatingContext } from '../plugin.ts'

/** The subresource whose strategy keeps owners as they are. */
const exempt = { resource: 'pods', subresource: 'status' }

const finalizeAnything: PartialAccess = {
  verb: 'update',
  group: '*',
  version: '*',
  resource: '*',
  subresource: 'finalizers',
  name: '*',
}

const ownersOf = (object: KubernetesObject | undefined): readonly OwnerReference[] => object?.metadata.ownerReferences ?? []

/** Returns the references that begin to block the deletion of their owners. */
function newlyBlocking(object: KubernetesObject, old: KubernetesObject | undefined): OwnerReference[] {
  const before = new Map(ownersOf(old).map((owner) => [owner.uid, owner.blockOwnerDeletion === true]))
  return ownersOf(object).filter(({ uid, blockOwnerDeletion }) => blockOwnerDeletion === true && before.get(uid) !== true)
}

type Mapping = Pick<Kind, 'group' | 'version' | 'resource' | 'namespaced'>

/** Finds the resource of an owner; undefined if the kind does not exist. @throws MissingLookups */
function resourceOf({ apiVersion, kind }: OwnerReference, { lookups }: ValidatingContext): Mapping | undefined {
  const builtIn = [...allKinds()].find((one) => one.apiVersion === apiVersion && one.kind === kind)
  if (builtIn !== undefined) return builtIn
  const [version = '', group = ''] = apiVersion.split('/').reverse()
  const found = lookups.get(workerLookup('resourceOfKind', { group, version, kind }))
  return found === null ? undefined : { group, version, ...found }
}

const reasonOf = (decision: AccessDecision): string =>
  decision.allowed ? '' : `${decision.reason}, ${decision.error ?? '<nil>'}`

function validate(
  attributes: AdmissionAttributes,
  object: KubernetesObject,
  old: KubernetesObject | undefined,
  context: ValidatingContext,
): void {
  const { kind, subresource, operation, namespace, user } = attributes
  if (kind.group === '' && kind.resource === exempt.resource && subresource === exempt.subresource) return
  if (isSame(ownersOf(object), ownersOf(old))) return
  const client = { user, lookups: context.lookups }
  const { group, version, resource } = kind
  const deletionAccess = (): AccessDecision =>
    access(client, { verb: 'delete', group, version, resource, subresource, namespace, name: attributes.name })
  const deletion = operation === 'CREATE' ? { allowed: true as const } : deletionAccess()
  const refuse = (why: string) => admissionForbidden(attributes, object, why)
  if (!deletion.allowed) throw refuse(`cannot set an ownerRef on a resource you can't delete: ${reasonOf(deletion)}`)
  const blocking = newlyBlocking(object, old)
  if (blocking.length === 0 || access(client, finalizeAnything).allowed) return
  for (const owner of blocking) {
    const { apiVersion, kind: ownerKind, name } = owner
    const found = resourceOf(owner, context)
    if (found === undefined) {
      const why = `no matches for kind "${ownerKind}" in version "${apiVersion}"`
      const begin = `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${apiVersion}`
      throw refuse(`${begin} Kind ${ownerKind}: ${why}`)
    }
    const { namespaced, ...of } = found
    const { group, version, resource } = of
    const finalization = { verb: 'update', group, version, resource, subresource: 'finalizers', name }
    const decision = access(client, namespaced ? { ...finalization, namespace } : finalization)
    if (decision.allowed) continue
    const why = "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on"
    throw refuse(`${why}: ${reasonOf(decision)}`)
  }
}

/** Validates the CREATE and the UPDATE of all resources. Follows the plugin of k8s.io/kubernetes. */
export const ownerReferencesPermissionEnforcement: AdmissionPlugin = {
  name: 'OwnerReferencesPermissionEnforcement',
  handlers: [{ operations: ['CREATE', 'UPDATE'], resources: 'any', validate }],
}
