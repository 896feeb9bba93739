/** The operator's list of authorizers. Follows AuthorizationConfiguration of apiserver.config.k8s.io/v1. */
import { configurationError, readConfiguration } from '../config/document.ts'
import { parseDuration } from '../go/duration.ts'
import { isDns1123Subdomain } from '../meta/names.ts'
import { type CompiledExpression, compileExpression } from './cel-program.ts'
import type { WebhookAuthorizerConfiguration } from './webhook/authorizer.ts'
import { endpointAt } from './webhook/endpoint.ts'
import { reviewEnvironment } from './webhook/review-environment.ts'

/** One authorizer: the cluster's RBAC objects, or a webhook. */
export type AuthorizerConfiguration = 'RBAC' | WebhookAuthorizerConfiguration

const longestTimeout = 30_000
const defaultAuthorizedTtl = 5 * 60 * 1000
const defaultUnauthorizedTtl = 30 * 1000

/** The document, as src/config/schemas/authorization.json describes it. */
interface RawConfiguration {
  readonly authorizers: readonly RawAuthorizer[]
}

interface RawAuthorizer {
  readonly type: 'RBAC' | 'Webhook'
  readonly name: string
  readonly webhook?: RawWebhook
}

interface RawWebhook {
  readonly authorizedTTL?: string
  readonly cacheAuthorizedRequests?: boolean
  readonly unauthorizedTTL?: string
  readonly cacheUnauthorizedRequests?: boolean
  readonly timeout: string
  readonly matchConditionSubjectAccessReviewVersion?: 'v1'
  readonly failurePolicy: 'Deny' | 'NoOpinion'
  readonly connectionInfo: { readonly kubeConfig: unknown }
  readonly matchConditions?: readonly { readonly expression: string }[]
}

/** Parses a duration such as `3s` to milliseconds. */
function durationAt(text: string, path: string): number {
  try {
    return Number(parseDuration(text) / 1_000_000n)
  } catch {
    throw configurationError(path, 'is not a duration')
  }
}

function timeoutAt(text: string, path: string): number {
  const timeout = durationAt(text, path)
  if (timeout <= 0 || timeout > longestTimeout) throw configurationError(path, 'must be > 0s and <= 30s')
  return timeout
}

function ttlAt(text: string | undefined, path: string, isCached: boolean, otherwise: number): number {
  const ttl = text === undefined ? otherwise : durationAt(text, path) || otherwise
  if (ttl < 0) throw configurationError(path, 'must be > 0s')
  return isCached ? ttl : 0
}

function conditionsAt(conditions: readonly { readonly expression: string }[], path: string): CompiledExpression[] {
  return conditions.map(({ expression }, i) => {
    try {
      return compileExpression(expression, reviewEnvironment, ['bool'])
    } catch (error) {
      const problem = error instanceof Error ? error.message : ''
      throw configurationError(`${path}[${i}].expression`, `is not an expression that can be used: ${problem}`)
    }
  })
}

function webhookAt(webhook: RawWebhook, path: string, name: string): WebhookAuthorizerConfiguration {
  const { matchConditions = [], cacheAuthorizedRequests = true, cacheUnauthorizedRequests = true } = webhook
  if (matchConditions.length > 0 && webhook.matchConditionSubjectAccessReviewVersion === undefined)
    throw configurationError(`${path}.matchConditionSubjectAccessReviewVersion`, 'must be "v1"')
  const { authorizedTTL, unauthorizedTTL } = webhook
  return {
    name,
    endpoint: endpointAt(webhook.connectionInfo.kubeConfig, `${path}.connectionInfo.kubeConfig`),
    timeout: timeoutAt(webhook.timeout, `${path}.timeout`),
    authorizedTtl: ttlAt(authorizedTTL, `${path}.authorizedTTL`, cacheAuthorizedRequests, defaultAuthorizedTtl),
    unauthorizedTtl: ttlAt(unauthorizedTTL, `${path}.unauthorizedTTL`, cacheUnauthorizedRequests, defaultUnauthorizedTtl),
    failurePolicy: webhook.failurePolicy,
    matchConditions: conditionsAt(matchConditions, `${path}.matchConditions`),
  }
}

function authorizerAt({ type, name, webhook }: RawAuthorizer, path: string): AuthorizerConfiguration {
  if (isDns1123Subdomain(name).length > 0) throw configurationError(`${path}.name`, 'must be a DNS subdomain')
  // Other authorizer types are not supported: nodes have no rights of their own here (Node), and AlwaysAllow and AlwaysDeny would
  // decide for everyone.
  if (type === 'RBAC') {
    if (webhook !== undefined) throw configurationError(`${path}.webhook`, 'may only be specified when type=Webhook')
    return 'RBAC'
  }
  if (webhook === undefined) throw configurationError(`${path}.webhook`, 'is required')
  return webhookAt(webhook, `${path}.webhook`, name)
}

/**
 * Reads the configuration. kube-apiserver reads a kubeconfig file; here the kubeconfig is part of the JSON: `connectionInfo:
 * {type: KubeConfig, kubeConfig: {…}}`.
 * @param json '' if the deployment has no configuration: RBAC alone decides
 * @throws Error that names the field which is wrong or not supported
 */
export function readAuthorizationConfiguration(json: string): readonly AuthorizerConfiguration[] {
  if (json === '') return ['RBAC']
  return readConfiguration<RawConfiguration, readonly AuthorizerConfiguration[]>(
    json,
    'AuthorizationConfiguration',
    'authorization',
    ({ authorizers }) => {
      const all = authorizers.map((one, i) => authorizerAt(one, `authorizers[${i}]`))
      if (new Set(authorizers.map(({ name }) => name)).size < all.length)
        throw configurationError('authorizers', 'names one twice')
      if (all.filter((one) => one === 'RBAC').length > 1) throw configurationError('authorizers', 'has RBAC twice')
      return all
    },
  )
}
