/** Resolves the lookups of commits: facts that the Worker knows from the request, or reads from other collections. */
import { forbiddenMessage } from '../auth/authorizer.ts'
import { kindOf } from '../catalog/scheme.ts'
import type { AccessAttributes, AccessDecision, Disruption, DisruptionRequest, WorkerLookups } from '../clusters/lookups.ts'
import { unclassed } from '../clusters/priority-classes.ts'
import { ApiError, forbidden, otherRelease, unknownResource } from '../meta/errors.ts'
import type { WorkerLookup } from '../meta/lookups.ts'
import { callAdmissionWebhook } from '../registry/admission/webhooks/post-call.ts'
import { factNamed } from '../registry/facts/all.ts'
import { factHost } from './lookups/facts.ts'
import { imageReview } from './lookups/image-review.ts'
import { provisionedNamespace } from './lookups/namespaces.ts'
import { authorization, namespaceObject, paramKind, policyParams } from './lookups/policies.ts'
import type { LookupContext, Resolver } from './lookups/resolver.ts'

async function access({ services, user, asker }: LookupContext, parameters: AccessAttributes): Promise<AccessDecision> {
  const attributes = { ...parameters, isResource: true } as const
  const { allowed, reason, error } = await services.authorizer.authorize(user, attributes, asker)
  if (allowed) return { allowed }
  const why = error === undefined || reason === '' ? (error ?? reason) : `${error}: ${reason}`
  const refusal = forbidden(parameters, parameters.name, forbiddenMessage(user, attributes, why)).message
  return { allowed, refusal, reason, ...(error !== undefined && { error }) }
}

const several = (): ApiError =>
  new ApiError(500, '', 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.')

/** Takes one disruption from the PodDisruptionBudget that selects the Pod. */
const disruption: Resolver<'disruption'> = async ({ ofRequest }, request: DisruptionRequest) => {
  const kind = kindOf('policy', 'v1', 'poddisruptionbudgets')
  if (kind === undefined) throw unknownResource()
  const { namespace, pod, resourceVersion, dryRun } = request
  const { group, version, resource } = kind
  const target = { group, version, resource, subresource: '', namespace, name: '' }
  const answer = await ofRequest.perform(kind, { verb: 'disrupt', target, pod, dryRun })
  const found = await answer.json<Disruption>()
  if (found.outcome === 'several') throw several()
  return { disruption: found, resourceVersion }
}

/** Looks up a priority. A client that creates a PriorityClass and then a Pod with it finds the class. */
const priority: Resolver<'priority'> = async ({ services, asker }, { className }) => {
  const found = await services.policy.answer(
    ({ priorityClasses: { byName, default: fallback = unclassed } }) => {
      if (className === '') return fallback
      return Object.hasOwn(byName, className) ? byName[className] : undefined
    },
    (known) => known !== undefined,
    asker,
  )
  return found ?? null
}

const resolvers: { readonly [Name in keyof WorkerLookups]: Resolver<Name> } = {
  access,
  admissionWebhook: ({ services, deadline, request: { signal } }, call) =>
    callAdmissionWebhook(services.webhooks, services.admissionSettings, call, { deadline, signal }),
  authorization,
  definitionIsTerminating: async ({ services }, { group, version, resource }) =>
    (await services.customKinds.find(group, version, resource))?.isTerminating ?? false,
  disruption,
  imageReview,
  namespace: async ({ services, asker }, { namespace }) => (await services.policy.namespace(namespace, asker)) ?? null,
  namespaceObject,
  paramKind,
  policyParams,
  priority,
  provisionedNamespace,
  resourceOfKind: async ({ services }, { group, version, kind }) => {
    const found = await services.customKinds.definitionOf(group, version, kind)
    return found === undefined ? null : { resource: found.resource, namespaced: found.namespaced }
  },
}

/**
 * Resolves a lookup of a commit.
 * @throws ApiError with which the request fails; 503 for a lookup of another release
 */
export async function resolveLookup(context: LookupContext, { name, parameters }: WorkerLookup<unknown>): Promise<unknown> {
  const find = factNamed(name)
  if (find !== undefined) return find(factHost(context), parameters)
  if (!Object.hasOwn(resolvers, name)) throw otherRelease()
  // `workerLookup` has checked the parameters against the name; the types are lost in the transfer.
  const resolver = resolvers[name as keyof WorkerLookups] as (context: LookupContext, parameters: unknown) => Promise<unknown>
  return resolver(context, parameters)
}
