/**
 * The values of a request that the expressions of policies see. They are made when they are first read, and all policies of the
 * request share them. Follows newActivation of k8s.io/apiserver/pkg/admission/plugin/cel.
 */
import type { Activation } from '../../../../cel/activation.ts'
import { valueOfJson } from '../../../../cel/json-values.ts'
import {
  type AuthorizationCheck,
  type AuthorizationDecision,
  type AuthorizationSubject,
  AuthorizerValue,
  ResourceCheckValue,
} from '../../../../cel/libraries/authorizer.ts'
import type { Value } from '../../../../cel/value.ts'
import { workerLookup } from '../../../../clusters/lookups.ts'
import type { JsonObject, JsonValue } from '../../../../go/json-value.ts'
import { notFound } from '../../../../meta/errors.ts'
import type { LookupResults, WorkerLookup } from '../../../../meta/lookups.ts'
import type { User } from '../../../../meta/user.ts'
import { type EquivalentResource, resourceOf } from '../../matching/equivalents.ts'
import { type MatchRequest, namespaceOf } from '../../matching/rules.ts'

/** The request that policies decide about. */
export interface PolicyRequest extends MatchRequest {
  readonly user: User
  readonly dryRun: boolean
  /** The options of the operation with apiVersion and kind, for example CreateOptions of meta.k8s.io/v1. */
  readonly options: JsonValue
}

/** The objects of a request in one version, with apiVersion and kind. */
export interface VersionedObjects {
  /** Null for a DELETE. */
  readonly object: JsonObject | null
  /** Null for a CREATE and a CONNECT. */
  readonly old: JsonObject | null
}

/**
 * The uses of expressions, which see different variables: match conditions see no Namespace, and the request's own resource;
 * messages and audit annotations see no authorizer.
 */
const uses = {
  conditions: { authorizer: true, namespaceObject: false, resource: 'requested' },
  decisions: { authorizer: true, namespaceObject: true, resource: 'matched' },
  texts: { authorizer: false, namespaceObject: true, resource: 'matched' },
} as const

/** The use of a list of expressions. */
export type ExpressionUse = keyof typeof uses

/** Returns the lookup of the Namespace of a request, with the fields that expressions see. */
export const namespaceObjectLookup = (namespace: string): WorkerLookup<JsonObject | null> =>
  workerLookup('namespaceObject', { namespace })

interface ResourceValues {
  readonly object: Value
  readonly oldObject: Value
  readonly request: (resource: 'requested' | 'matched') => Value
}

const kindJson = ({ kind }: EquivalentResource): JsonObject => ({ ...kind })

const resourceJson = ({ group, version, resource }: EquivalentResource): JsonObject => ({ group, version, resource })

function userJson({ name, uid, groups, extra }: User): JsonObject {
  const extras = Object.entries(extra).map(([key, values]): [string, string[]] => [key, [...values]])
  return {
    ...(name !== '' && { username: name }),
    ...(uid !== '' && { uid }),
    ...(groups.length > 0 && { groups: [...groups] }),
    ...(extras.length > 0 && { extra: Object.fromEntries(extras) }),
  }
}

/** Returns the AdmissionRequest. Empty fields are absent in it, so that reading them is an error. */
function requestJson(request: PolicyRequest, matched: EquivalentResource, resource: 'requested' | 'matched'): JsonObject {
  const { operation, kind, subresource, name, user, dryRun, options } = request
  const own = resourceOf(kind, subresource)
  const namespace = namespaceOf(request)
  return {
    uid: '',
    kind: kindJson(matched),
    resource: resourceJson(resource === 'matched' ? matched : own),
    ...(subresource !== '' && { subResource: subresource }),
    requestKind: kindJson(own),
    requestResource: resourceJson(own),
    ...(subresource !== '' && { requestSubResource: subresource }),
    ...(name !== '' && { name }),
    ...(namespace !== '' && { namespace }),
    operation,
    userInfo: userJson(user),
    object: null,
    oldObject: null,
    dryRun,
    options,
  }
}

/** The values of one request. */
export class RequestValues {
  readonly request: PolicyRequest
  readonly lookups: LookupResults
  readonly #versioned: (resource: EquivalentResource) => VersionedObjects
  readonly #byResource = new Map<string, ResourceValues>()
  #namespace: Value | undefined
  #authorizer: Activation | undefined

  /** @param versioned converts the objects of the request to a version. May throw ApiError, MissingLookups */
  constructor(request: PolicyRequest, lookups: LookupResults, versioned: (resource: EquivalentResource) => VersionedObjects) {
    this.request = request
    this.lookups = lookups
    this.#versioned = versioned
  }

  /**
   * Returns the variables of a list of expressions.
   * @param matched the resource in whose version the policy matches
   * @param params null without a parameter
   * @throws ApiError if the objects cannot be converted, MissingLookups; a variable that is a lookup throws when it is read
   */
  activation(matched: EquivalentResource, params: JsonObject | null, use: ExpressionUse): Record<string, Value> {
    const { object, oldObject, request } = this.#valuesOf(matched)
    const { authorizer, namespaceObject, resource } = uses[use]
    const namespace = (): Value => (namespaceObject ? this.#namespaceObject() : null)
    const activation: Record<string, Value> = {
      object,
      oldObject,
      get request() {
        return request(resource)
      },
      get namespaceObject() {
        return namespace()
      },
      params: valueOfJson(params),
    }
    return authorizer ? Object.assign(activation, this.#authorizerValues()) : activation
  }

  /** Converts the objects to a version, once. @throws ApiError, MissingLookups */
  convert(matched: EquivalentResource): void {
    this.#valuesOf(matched)
  }

  #valuesOf(matched: EquivalentResource): ResourceValues {
    const { group, version, resource } = matched
    const key = `${group}/${version}/${resource}`
    const known = this.#byResource.get(key)
    if (known !== undefined) return known
    const { object, old } = this.#versioned(matched)
    const requests = new Map<string, Value>()
    const values: ResourceValues = {
      object: valueOfJson(object),
      oldObject: valueOfJson(old),
      request: (of) => {
        const made = requests.get(of) ?? valueOfJson(requestJson(this.request, matched, of))
        requests.set(of, made)
        return made
      },
    }
    this.#byResource.set(key, values)
    return values
  }

  /** Returns the Namespace; null for cluster-scoped objects, and for Namespaces themselves. */
  #namespaceObject(): Value {
    if (this.#namespace !== undefined) return this.#namespace
    const { kind } = this.request
    const namespace = kind.group === '' && kind.resource === 'namespaces' ? '' : this.request.namespace
    const found = namespace === '' ? null : this.lookups.get(namespaceObjectLookup(namespace))
    if (found === null && namespace !== '') throw notFound({ group: '', resource: 'namespaces' }, namespace)
    this.#namespace = valueOfJson(found)
    return this.#namespace
  }

  #authorizerValues(): Activation {
    if (this.#authorizer !== undefined) return this.#authorizer
    const authorizer = new AuthorizerValue((subject, check) => this.#decide(subject, check))
    const { kind, subresource, name } = this.request
    const { group, resource } = kind
    const target = { group, resource, subresource, namespace: namespaceOf(this.request), name }
    const check = { kind: 'resource', ...target, fieldSelector: '', labelSelector: '' } as const
    this.#authorizer = { authorizer, 'authorizer.requestResource': new ResourceCheckValue(authorizer, check) }
    return this.#authorizer
  }

  #decide(subject: AuthorizationSubject, check: AuthorizationCheck): AuthorizationDecision {
    return this.lookups.get(workerLookup('authorization', { subject, check }))
  }
}
