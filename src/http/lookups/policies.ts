/** Resolves the lookups of admission policies: authorization checks, parameters and Namespaces. */
import { type AccountName, accountGroups, accountUser } from '../../auth/service-account-names.ts'
import type { Kind } from '../../catalog/kind.ts'
import { allKinds } from '../../catalog/scheme.ts'
import { findObject, selectedObjects } from '../../clusters/read-object.ts'
import type { JsonObject } from '../../go/json-value.ts'
import { ApiError } from '../../meta/errors.ts'
import { isPathSegmentName } from '../../meta/names.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import type { User } from '../../meta/user.ts'
import type { LookupContext, Resolver } from './resolver.ts'

const userOf = (account: AccountName): User => ({
  name: accountUser(account),
  uid: '',
  groups: accountGroups(account.namespace),
  extra: {},
})

/** Answers an authorization check for the user of the request or a ServiceAccount. */
export const authorization: Resolver<'authorization'> = async ({ services, user }, { subject, check }) => {
  const asked = subject.kind === 'requester' ? user : userOf(subject)
  const { kind, ...attributes } = check
  const {
    allowed,
    reason,
    error = '',
  } = 'path' in attributes
    ? await services.authorizer.authorize(asked, { isResource: false, ...attributes })
    : await services.authorizer.authorize(asked, {
        ...attributes,
        isResource: true,
        version: '*',
        fieldSelector: { rawSelector: attributes.fieldSelector },
        labelSelector: { rawSelector: attributes.labelSelector },
      })
  return { allowed, reason, error }
}

/** Returns the served kind of parameters; undefined if it does not exist. */
async function kindOfParams({ services, asker }: LookupContext, apiVersion: string, name: string): Promise<Kind | undefined> {
  const slash = apiVersion.indexOf('/')
  const [group, version] = slash < 0 ? ['', apiVersion] : [apiVersion.slice(0, slash), apiVersion.slice(slash + 1)]
  for (const kind of allKinds()) if (kind.group === group && kind.version === version && kind.kind === name) return kind
  const resource = await services.policy.answer(
    ({ definitions }) =>
      Object.values(definitions).find(
        (one) =>
          one.group === group && one.kind === name && one.isEstablished && one.versions.some((served) => served.name === version),
      )?.resource,
    (found) => found !== undefined,
    asker,
    'settled',
  )
  return resource === undefined ? undefined : (await services.customKinds.find(group, version, resource, asker))?.kind
}

/** The collection on which the set of kinds depends. */
const definitions = 'customresourcedefinitions.apiextensions.k8s.io'

/** Finds the resource of a paramKind; null if it does not exist. */
export const paramKind: Resolver<'paramKind'> = async (context, { apiVersion, kind: name }) => {
  const found = await context.services.reads.find(definitions, `paramKind ${apiVersion} ${name}`, async () => {
    const kind = await kindOfParams(context, apiVersion, name)
    return kind && { isNamespaced: kind.namespaced, isWatched: kind.verbs.has('list') && kind.verbs.has('watch') }
  })
  return found ?? null
}

async function objectNamed({ client }: LookupContext, kind: Kind, namespace: string, name: string): Promise<JsonObject[]> {
  if (isPathSegmentName(name).length > 0) return []
  const { group, version, resource } = kind
  const target = { group, version, resource, subresource: '', namespace, name }
  try {
    return [await (await client.perform(kind, { verb: 'get', target, resourceVersion: '' })).json<JsonObject>()]
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) return []
    throw error
  }
}

async function objectsSelected(
  { client }: LookupContext,
  kind: Kind,
  namespace: string,
  labelSelector: string,
): Promise<readonly JsonObject[]> {
  const { apiVersion, kind: name } = kind
  const items = await selectedObjects<JsonObject>(client, kind, namespace, labelSelector)
  return items.map((item) => ({ apiVersion, kind: name, ...item }))
}

function withoutManagedFields(object: JsonObject): JsonObject {
  const { managedFields: _managedFields, ...metadata } = object.metadata as JsonObject
  return { ...object, metadata }
}

/** Reads the parameters that a binding selects. */
export const policyParams: Resolver<'policyParams'> = async (context, selection) => {
  const { apiVersion, kind: kindName, name, selector = '' } = selection
  const kind = await kindOfParams(context, apiVersion, kindName)
  if (kind === undefined || !kind.verbs.has('list')) return []
  const namespace = kind.namespaced ? selection.namespace : ''
  if (kind.namespaced && namespace === '') return []
  const key = `policyParams ${JSON.stringify(selection)}`
  const found = await context.services.reads.find(kind.storage.prefix, key, async () => {
    const read =
      name === undefined ? objectsSelected(context, kind, namespace, selector) : objectNamed(context, kind, namespace, name)
    // kube-apiserver trims built-in objects in its caches.
    return kind.definition === undefined ? (await read).map(withoutManagedFields) : read
  })
  return found ?? []
}

/** The fields of metadata that expressions do not see. */
const hidden: ReadonlySet<string> = new Set(['managedFields', 'ownerReferences', 'selfLink'])

/** Reads the fields of a Namespace that expressions see. Follows CreateNamespaceObject. */
export const namespaceObject: Resolver<'namespaceObject'> = async ({ services, client }, { namespace }) => {
  const found = await services.reads.find('namespaces', `namespaceObject ${namespace}`, async () => {
    const object = await findObject<KubernetesObject>(client, { resource: 'namespaces', namespace: '', name: namespace })
    return object && shown(object)
  })
  return found ?? null
}

function shown({ metadata, spec, status }: KubernetesObject): JsonObject {
  const seen = Object.entries(metadata).filter(([field]) => !hidden.has(field))
  return { metadata: Object.fromEntries(seen) as JsonObject, spec: spec as JsonObject, status: status as JsonObject }
}
