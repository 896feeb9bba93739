/** Resolves the lookups of admission policies: authorization checks, parameters and Namespaces. */
import { type AccountName, accountGroups, accountUser } from '../../auth/service-account-names.ts'
import type { Kind } from '../../catalog/kind.ts'
import { allKinds } from '../../catalog/scheme.ts'
import type { ParamResource, ParamSelection, WorkerLookups } from '../../clusters/lookups.ts'
import type { ReadFact } from '../../clusters/policy-facts.ts'
import { findObject } from '../../clusters/read-object.ts'
import type { JsonObject } from '../../go/json-value.ts'
import { ApiError } from '../../meta/errors.ts'
import { isPathSegmentName } from '../../meta/names.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import type { User } from '../../meta/user.ts'
import type { LookupContext } from './resolver.ts'

type Authorization = WorkerLookups['authorization']

const userOf = (account: AccountName): User => ({
  name: accountUser(account),
  uid: '',
  groups: accountGroups(account.namespace),
  extra: {},
})

/** Answers an authorization check for the user of the request or a ServiceAccount. */
export async function authorization(
  { services, user }: LookupContext,
  { subject, check }: Authorization['parameters'],
): Promise<Authorization['result']> {
  const asked = subject.kind === 'requester' ? user : userOf(subject)
  const { kind, ...attributes } = check
  const {
    allowed,
    reason,
    error = '',
  } = 'path' in attributes
    ? await services.authorizer.authorize(asked, { isResource: false, ...attributes })
    : await services.authorizer.authorize(asked, { isResource: true, version: '*', ...attributes })
  return { allowed, reason, error }
}

/** Returns the served kind of parameters; undefined if it does not exist. */
async function kindOfParams({ services }: LookupContext, apiVersion: string, name: string): Promise<Kind | undefined> {
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
    'settled',
  )
  return resource === undefined ? undefined : (await services.customKinds.find(group, version, resource))?.kind
}

/** The prefix of facts that change with the set of kinds. */
const definitions = 'customresourcedefinitions.apiextensions.k8s.io'

/** Finds the resource of a paramKind; null if it does not exist. */
export function paramKind(
  context: LookupContext,
  { apiVersion, kind: name }: WorkerLookups['paramKind']['parameters'],
): Promise<ParamResource | null> {
  return context.services.policyFacts.get(`paramKind ${apiVersion} ${name}`, async () => {
    const kind = await kindOfParams(context, apiVersion, name)
    const fact = kind && { isNamespaced: kind.namespaced, isWatched: kind.verbs.has('list') && kind.verbs.has('watch') }
    return { prefix: definitions, fact: fact ?? null }
  })
}

async function objectNamed({ client }: LookupContext, kind: Kind, namespace: string, name: string): Promise<JsonObject[]> {
  if (isPathSegmentName(name).length > 0) return []
  const { group, version, resource } = kind
  const target = { group, version, resource, subresource: '', namespace, name }
  try {
    return [(await (await client.perform(kind, { verb: 'get', target, resourceVersion: '' })).json()) as JsonObject]
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
  const { group, version, resource, apiVersion, kind: name } = kind
  const target = { group, version, resource, subresource: '', namespace, name: '' }
  const list = {
    labelSelector,
    fieldSelector: '',
    resourceVersion: '',
    resourceVersionMatch: '',
    limit: 0,
    continue: '',
  } as const
  const { items } = (await (await client.perform(kind, { verb: 'list', target, list })).json()) as {
    readonly items: JsonObject[]
  }
  return items.map((item) => ({ apiVersion, kind: name, ...item }))
}

/** Reads the parameters that a binding selects. */
export function policyParams(context: LookupContext, selection: ParamSelection): Promise<readonly JsonObject[]> {
  return context.services.policyFacts.get(
    `policyParams ${JSON.stringify(selection)}`,
    async (): Promise<ReadFact<readonly JsonObject[]>> => {
      const { apiVersion, kind: kindName, name, selector = '' } = selection
      const kind = await kindOfParams(context, apiVersion, kindName)
      if (kind === undefined) return { prefix: definitions, fact: [] }
      const namespace = kind.namespaced ? selection.namespace : ''
      const isUnreadable = (kind.namespaced && namespace === '') || !kind.verbs.has('list')
      const read = (): Promise<readonly JsonObject[]> =>
        name === undefined ? objectsSelected(context, kind, namespace, selector) : objectNamed(context, kind, namespace, name)
      return { prefix: kind.storage.prefix, fact: isUnreadable ? [] : await read() }
    },
  )
}

/** The fields of metadata that expressions do not see. */
const hidden: ReadonlySet<string> = new Set(['managedFields', 'ownerReferences', 'selfLink'])

/** Reads the fields of a Namespace that expressions see. Follows CreateNamespaceObject. */
export function namespaceObject(
  context: LookupContext,
  { namespace }: { readonly namespace: string },
): Promise<JsonObject | null> {
  return context.services.policyFacts.get(`namespaceObject ${namespace}`, async () => {
    const found = await findObject<KubernetesObject>(context.client, { resource: 'namespaces', namespace: '', name: namespace })
    return { prefix: 'namespaces', fact: found === undefined ? null : shown(found) }
  })
}

function shown({ metadata, spec, status }: KubernetesObject): JsonObject {
  const seen = Object.entries(metadata).filter(([field]) => !hidden.has(field))
  return { metadata: Object.fromEntries(seen) as JsonObject, spec: spec as JsonObject, status: status as JsonObject }
}
