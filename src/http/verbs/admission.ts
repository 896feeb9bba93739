/** Admission in the Worker: lookups that a commit is expected to need, and admission of requests without a commit. */
import type { KnownResults } from '../../clusters/lookups.ts'
import type { JsonValue } from '../../go/json-value.ts'
import { LookupResults, withLookups } from '../../meta/lookups.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { admission } from '../../registry/admission/chain.ts'
import type { AdmissionAttributes, MutatingContext } from '../../registry/admission/plugin.ts'
import { ReinvocationContext } from '../../registry/admission/reinvocation.ts'
import { randomNames } from '../../registry/name-generator.ts'
import type { ResourceContext } from '../context.ts'

const createAttributes = ({ kind, target, user }: ResourceContext): AdmissionAttributes => {
  const { subresource, namespace, name } = target
  return { operation: 'CREATE', kind, subresource, namespace, name, user }
}

/**
 * Resolves the lookups that a create is expected to need. They are sent with the operation, which then takes one hop.
 * @param object of the client, possibly not validated
 * @returns the results, to be spread into the operation
 */
export async function expectedLookups(context: ResourceContext, object: JsonValue): Promise<{ readonly lookups?: KnownResults }> {
  const expected = admission.expectedLookups(createAttributes(context), object)
  return expected.length === 0 ? {} : { lookups: await context.client.lookUp(expected) }
}

/**
 * Runs the mutating phase for a create that is not stored in the collection of its kind.
 * @throws ApiError if a plugin rejects it
 */
export function admitCreate(context: ResourceContext, object: KubernetesObject): Promise<void> {
  const attributes = createAttributes(context)
  const lookups = new LookupResults()
  const mutating = (): MutatingContext => ({ lookups, names: randomNames, reinvocation: new ReinvocationContext() })
  return withLookups(async () => admission.admit(attributes, object, undefined, mutating()), {
    resolve: async ({ ofWorker }) => {
      for (const [key, result] of Object.entries(await context.client.lookUp(ofWorker))) lookups.set(key, result)
      return () => undefined
    },
    exhausted: () => new Error('the admission of a request needs one lookup after another'),
  })
}
