/** Runs admission for writes within their commit. Writes of the server itself have no user and skip admission. */
import type { Kind } from '../../catalog/kind.ts'
import type { RequestOptions, Target } from '../../clusters/operation.ts'
import { isObject } from '../../go/json-object.ts'
import { LookupResults } from '../../meta/lookups.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import type { User } from '../../meta/user.ts'
import type { Registry } from '../registry.ts'
import type { WriteScope } from '../write-scope.ts'
import { admissionChain } from './chain.ts'
import { CollectedFindings } from './findings.ts'
import { repairMetadata } from './mutated-metadata.ts'
import type { AdmissionAttributes, AdmissionFindings, AdmissionOperation, MutatingContext, ValidatingContext } from './plugin.ts'
import { ReinvocationContext } from './reinvocation.ts'

/** The request whose write is admitted. */
export interface AdmittedRequest {
  readonly registry: Registry
  readonly kind: Kind
  readonly target: Target
  readonly user: User
  readonly dryRun: boolean
}

/** The options of an operation: those of a patch follow from what it turns out to be. */
const optionKinds: { readonly [Operation in AdmissionOperation]?: RequestOptions['kind'] } = {
  CREATE: 'CreateOptions',
  UPDATE: 'UpdateOptions',
}

function attributesOf(
  { registry, kind, target, user, dryRun }: AdmittedRequest,
  operation: AdmissionOperation,
): AdmissionAttributes {
  const { subresource, namespace, name } = target
  const attributes = { operation, kind, subresource, namespace, name, user, dryRun }
  if (registry.admission === undefined) return attributes
  const { options } = registry.admission
  return { ...attributes, options: { ...options, kind: optionKinds[operation] ?? options.kind } }
}

/** Returns the context of both phases. */
function contextOf(
  registry: Registry,
  findings: AdmissionFindings = new CollectedFindings(),
): MutatingContext & ValidatingContext {
  const { lookups = new LookupResults(), names, store, now, kindOf, callWebhook, deadline, admission: ofRequest } = registry
  return {
    settings: registry.admissionSettings,
    lookups,
    names,
    reinvocation: new ReinvocationContext(),
    store,
    now,
    kindOf,
    warn: (text) => findings.warn(text),
    annotate: (key, value) => findings.annotate(key, value),
    measure: (metric, labels, value) => findings.measure(metric, labels, value),
    ...(ofRequest !== undefined && { configuration: ofRequest.configuration }),
    ...(callWebhook !== undefined && { callWebhook: (call) => callWebhook(call, deadline) }),
  }
}

/**
 * Returns the attributes of a create, or of an update of `old`; undefined if the server itself writes. The path of a create has no
 * name: its attributes have that of the object, in the validating phase also a generated one.
 */
function attributesOfWrite(
  { registry, kind, target, write }: WriteScope,
  { metadata }: KubernetesObject,
  old: KubernetesObject | undefined,
): AdmissionAttributes | undefined {
  const { user, dryRun } = write
  if (user === undefined) return undefined
  const attributes = attributesOf({ registry, kind, target, user, dryRun }, old === undefined ? 'CREATE' : 'UPDATE')
  return attributes.name === '' ? { ...attributes, name: metadata.name ?? '' } : attributes
}

/**
 * Runs the mutating phase of a create, or of an update of `old`. It may change the object.
 * @param object in the version of the request
 * @throws ApiError if a plugin rejects the write, MissingLookups
 */
export function admitWrite(scope: WriteScope, object: KubernetesObject, old?: KubernetesObject): void {
  const attributes = attributesOfWrite(scope, object, old)
  if (attributes === undefined) return
  const context = contextOf(scope.registry, scope.findings)
  const { managedFields } = object.metadata
  admissionChain(context.settings).admit(attributes, object, old, context)
  if (context.configuration !== undefined) repairMetadata(object, managedFields, context)
}

/**
 * Runs the validating phase of a create, or of an update of `old`. It sees a generated name.
 * @param object in the internal version, which strategies see
 * @throws ApiError if a plugin rejects the write, MissingLookups
 */
export function validateWrite(scope: WriteScope, object: KubernetesObject, old?: KubernetesObject): void {
  validateByPlugins(scope, object, old)
  admitToCluster(scope, object, old)
}

/**
 * Admits a write to the limits of the cluster: every write of a client, and every create that a controller asks for, as quotas of
 * kube-apiserver concern its controllers too. Not the server's updates of existing objects, nor its bootstrap objects.
 * @throws ApiError 403
 */
function admitToCluster(
  { registry, kind, target, write }: WriteScope,
  object: KubernetesObject,
  old: KubernetesObject | undefined,
): void {
  const { allowance, lookups } = registry
  const isAsked = old === undefined && lookups !== undefined
  if (allowance === undefined || (write.user === undefined && !isAsked)) return
  const growth = (): number => textBytes(object) - (old === undefined ? 0 : textBytes(old))
  allowance.admitWrite(kind, target.name || (object.metadata.name ?? ''), { isNew: old === undefined, growth })
}

function validateByPlugins(scope: WriteScope, object: KubernetesObject, old: KubernetesObject | undefined): void {
  const attributes = attributesOfWrite(scope, object, old)
  if (attributes === undefined) return
  const { registry, transaction, findings } = scope
  const { quotas: reservations } = registry
  const alongside = (run: () => void): void => transaction.alongside(run)
  const quotas = reservations === undefined ? {} : { quotas: { reservations, alongside } }
  admissionChain(registry.admissionSettings).validate(attributes, object, old, { ...contextOf(registry, findings), ...quotas })
}

const textBytes = (object: KubernetesObject): number => JSON.stringify(object).length

/** The options of a deletion that the server sets before admission sees them. */
export interface DecidedOptions {
  /** The granted grace period. */
  readonly gracePeriodSeconds?: number
  /** The uid, if the server makes it a precondition. */
  readonly uid?: string
}

function withDecided(attributes: AdmissionAttributes, { uid, ...decided }: DecidedOptions): AdmissionAttributes {
  const { options } = attributes
  if (options === undefined) return attributes
  const before = isObject(options.fields.preconditions) ? options.fields.preconditions : {}
  const preconditions = uid === undefined ? {} : { preconditions: { ...before, uid } }
  return { ...attributes, options: { ...options, fields: { ...options.fields, ...decided, ...preconditions } } }
}

/** The object of a deletion, which has none. */
const none: KubernetesObject = { metadata: {} }

/**
 * Runs the admission of a client's deletion, after its preconditions were checked.
 * @throws ApiError if a plugin rejects it, MissingLookups
 */
export function admitDelete(
  request: AdmittedRequest,
  old: KubernetesObject,
  decided: DecidedOptions,
  findings: AdmissionFindings,
): void {
  const attributes = withDecided(attributesOf(request, 'DELETE'), decided)
  const context = contextOf(request.registry, findings)
  admissionChain(context.settings).admit(attributes, none, old, context)
  admissionChain(context.settings).validate(attributes, none, old, context)
}
