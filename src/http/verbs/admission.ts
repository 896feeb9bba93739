/** Admission in the Worker: lookups that a commit is expected to need, and admission of requests without a commit. */
import { kindOf } from '../../catalog/scheme.ts'
import type { AdmissionConfiguration } from '../../clusters/admission-configuration.ts'
import type { KnownResults } from '../../clusters/lookups.ts'
import type { AdmissionOfOperation, DeleteOptions, RequestOptions } from '../../clusters/operation.ts'
import type { AdmissionSettings } from '../../config/admission/settings.ts'
import type { JsonObject, JsonValue } from '../../go/json-value.ts'
import { LookupResults, withLookups } from '../../meta/lookups.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import type { PatchOptions } from '../../meta/options.ts'
import { admissionChain } from '../../registry/admission/chain.ts'
import { CollectedFindings } from '../../registry/admission/findings.ts'
import { mayMatch } from '../../registry/admission/may-match.ts'
import type { AdmissionAttributes, AdmissionOperation } from '../../registry/admission/plugin.ts'
import { ReinvocationContext } from '../../registry/admission/reinvocation.ts'
import { randomNames } from '../../registry/name-generator.ts'
import type { ResourceContext } from '../context.ts'

/** Returns the options of a write as policies and webhooks see them. The options of a patch become those of its operation. */
export function writeOptionsOf(
  kind: RequestOptions['kind'],
  { dryRun, fieldManager, fieldValidation }: Partial<PatchOptions>,
): RequestOptions {
  const fields: JsonObject = {
    ...(dryRun !== undefined && dryRun.length > 0 && { dryRun: [...dryRun] }),
    ...(fieldManager !== undefined && fieldManager !== '' && { fieldManager }),
    ...(fieldValidation !== undefined && fieldValidation !== '' && { fieldValidation }),
  }
  return { kind, fields }
}

/** Returns the options of a deletion as policies and webhooks see them. */
export function deleteOptionsOf(
  { uid, resourceVersion, emptyPreconditions = false, ...options }: DeleteOptions,
  dryRun: boolean,
): RequestOptions {
  const preconditions: JsonObject = {
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  }
  const fields: JsonObject = {
    ...(options as JsonObject),
    ...((emptyPreconditions || Object.keys(preconditions).length > 0) && { preconditions }),
    ...(dryRun && { dryRun: ['All'] }),
  }
  return { kind: 'DeleteOptions', fields }
}

/** The operation-specific part of a request that is admitted. */
interface Admitted {
  /** The operations that the request may turn out to be. */
  readonly operations: readonly AdmissionOperation[]
  /** The operations whose lookups are resolved before the request is sent; all by default. */
  readonly likely?: readonly AdmissionOperation[]
  readonly options: RequestOptions
  readonly dryRun: boolean
  /** The name of a new object, which the path of a create does not contain: a new Namespace is in the namespace of its name. */
  readonly name?: string
}

function attributesOf(
  { kind, target, user }: ResourceContext,
  operation: AdmissionOperation,
  { options, dryRun, name: given = '' }: Admitted,
): AdmissionAttributes {
  const { subresource, namespace } = target
  const name = target.name === '' ? given : target.name
  return { operation, kind, subresource, namespace, name, user, dryRun, options }
}

/** Returns the configuration if a policy or webhook in it may match the request. */
async function configurationFor(
  { services, kind, target }: ResourceContext,
  { operations }: Admitted,
): Promise<AdmissionConfiguration | undefined> {
  const current = services.policy.current()
  const { admission: configuration } = current instanceof Promise ? await current : current
  if (configuration.tag === '') return undefined
  const matches = operations.some((operation) => mayMatch(configuration, { operation, kind, subresource: target.subresource }))
  return matches ? configuration : undefined
}

/** The fields of an operation for its admission in the collection's Durable Object. */
interface AdmissionFields {
  readonly admission?: AdmissionOfOperation
  readonly lookups?: KnownResults
}

/**
 * Finds out whether policies or webhooks may match a request, and resolves the lookups that it is expected to need. They are sent
 * with the operation, which then takes one hop.
 * @param object of the client, possibly not validated
 * @returns the fields, to be spread into the operation
 */
export async function admissionOf(context: ResourceContext, object: JsonValue, admitted: Admitted): Promise<AdmissionFields> {
  const configuration = await configurationFor(context, admitted)
  const expected = (admitted.likely ?? admitted.operations).flatMap((operation) =>
    admissionChain(context.services.admissionSettings).expectedLookups(
      attributesOf(context, operation, admitted),
      object,
      configuration,
    ),
  )
  const lookups = context.client.ofWorker(expected)
  return {
    ...(configuration !== undefined && { admission: { tag: configuration.tag, options: admitted.options } }),
    ...(lookups.length > 0 && { lookups: await context.client.lookUp(lookups) }),
  }
}

/** A request that no commit admits: its object is not stored in the collection of its kind. */
interface AdmittedHere extends Omit<Admitted, 'operations'> {
  readonly operation: AdmissionOperation
}

/** The phases of admission: mutating and validating. */
type Phase = 'admit' | 'validate'

const bothPhases: readonly Phase[] = ['admit', 'validate']

/**
 * Runs admission for a request that is not stored in the collection of its kind. It may change the object.
 * @param phases both, unless the request changes its object in between
 * @returns the warnings
 * @throws ApiError if a plugin rejects it
 */
export async function admitHere(
  context: ResourceContext,
  object: KubernetesObject,
  { operation, ...others }: AdmittedHere,
  phases = bothPhases,
): Promise<readonly string[]> {
  const admitted: Admitted = { ...others, operations: [operation] }
  const attributes = attributesOf(context, operation, admitted)
  const configuration = await configurationFor(context, admitted)
  const { now, admissionSettings: settings } = context.services
  const lookups = new LookupResults()
  const attempt = async (): Promise<CollectedFindings> =>
    admitOnce(attributes, object, lookups, { configuration, phases, now, settings })
  const admit = () =>
    withLookups(attempt, {
      resolve: async ({ ofWorker }) => {
        for (const [key, result] of Object.entries(await context.client.lookUp(ofWorker))) lookups.set(key, result)
        return () => undefined
      },
      exhausted: () => new Error('the admission of a request needs one lookup after another'),
    })
  const { warnings, ofRequest } = await context.client.observing(admit)
  context.client.found(ofRequest)
  return warnings
}

/** The settings, the configuration, the phases to run and the clock of an admission. */
interface Admission {
  readonly settings: AdmissionSettings
  readonly configuration: AdmissionConfiguration | undefined
  readonly phases: readonly Phase[]
  readonly now: () => number
}

/** Runs the phases once. The object is changed only if no lookup is missing. */
function admitOnce(
  attributes: AdmissionAttributes,
  object: KubernetesObject,
  lookups: LookupResults,
  { settings, configuration, phases, now }: Admission,
): CollectedFindings {
  const findings = new CollectedFindings()
  const draft = structuredClone(object)
  if (attributes.operation === 'CREATE' && attributes.namespace !== '') draft.metadata.namespace = attributes.namespace
  const context = {
    settings,
    lookups,
    names: randomNames,
    reinvocation: new ReinvocationContext(),
    now,
    kindOf,
    warn: (text: string) => findings.warn(text),
    annotate: (key: string, value: string) => findings.annotate(key, value),
    measure: (...measurement: Parameters<CollectedFindings['measure']>) => findings.measure(...measurement),
    ...(configuration !== undefined && { configuration }),
  }
  try {
    for (const phase of phases) admissionChain(settings)[phase](attributes, draft, undefined, context)
  } catch (error) {
    throw findings.onError(error)
  }
  Object.assign(object, draft)
  return findings
}
