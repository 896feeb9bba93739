/** Who decides whether requests may go on, as the operator writes it. Follows AuthorizationConfiguration of apiserver.config.k8s.io/v1. */
import { parseDuration } from '../go/duration.ts'
import { isDns1123Subdomain } from '../meta/names.ts'
import { type ReadyExpression, readyExpression } from './cel-program.ts'
import { choiceAt, listAt, objectAt, readConfiguration, textAt, wrong } from './configuration-fields.ts'
import type { WebhookAuthorizerConfiguration } from './webhook/authorizer.ts'
import { endpointAt } from './webhook/endpoint.ts'
import { reviewEnvironment } from './webhook/review-spec.ts'

/** One who decides: the cluster's roles and bindings, or a webhook. */
export type AuthorizerConfiguration = 'RBAC' | WebhookAuthorizerConfiguration

const longestTimeout = 30_000
const defaultAuthorizedTtl = 5 * 60 * 1000
const defaultUnauthorizedTtl = 30 * 1000

/** Milliseconds of a duration such as `3s`. */
function durationAt(value: unknown, path: string): number {
  const text = textAt(value, path)
  try {
    return Number(parseDuration(text) / 1_000_000n)
  } catch {
    throw wrong(path, 'is no duration')
  }
}

function timeoutAt(value: unknown, path: string): number {
  const timeout = durationAt(value, path)
  if (timeout <= 0 || timeout > longestTimeout) throw wrong(path, 'must be > 0s and <= 30s')
  return timeout
}

function ttlAt(value: unknown, path: string, caches: unknown, otherwise: number): number {
  if (typeof caches !== 'boolean') throw wrong(path, 'must be cached or not: true or false')
  const ttl = value === undefined ? otherwise : durationAt(value, path) || otherwise
  if (ttl < 0) throw wrong(path, 'must be > 0s')
  return caches ? ttl : 0
}

function conditionsAt(value: unknown, path: string): ReadyExpression[] {
  const conditions = listAt(value, path)
  if (conditions.length > 64) throw wrong(path, 'must have at most 64 items')
  return conditions.map((one, i) => {
    const at = `${path}[${i}].expression`
    const text = textAt(objectAt(one, `${path}[${i}]`, ['expression']).expression, at)
    try {
      return readyExpression(text, reviewEnvironment, ['bool'])
    } catch (error) {
      throw wrong(at, `is no expression that is of use: ${error instanceof Error ? error.message : ''}`)
    }
  })
}

const webhookFields = [
  'authorizedTTL',
  'cacheAuthorizedRequests',
  'unauthorizedTTL',
  'cacheUnauthorizedRequests',
  'timeout',
  'subjectAccessReviewVersion',
  'matchConditionSubjectAccessReviewVersion',
  'failurePolicy',
  'connectionInfo',
  'matchConditions',
]

function webhookAt(value: unknown, path: string, name: string): WebhookAuthorizerConfiguration {
  const fields = objectAt(value, path, webhookFields)
  const { matchConditions = [], matchConditionSubjectAccessReviewVersion: conditionVersion } = fields
  choiceAt(fields.subjectAccessReviewVersion, `${path}.subjectAccessReviewVersion`, ['v1'])
  const conditions = conditionsAt(matchConditions, `${path}.matchConditions`)
  if (conditions.length > 0 || conditionVersion !== undefined)
    choiceAt(conditionVersion, `${path}.matchConditionSubjectAccessReviewVersion`, ['v1'])
  const at = `${path}.connectionInfo`
  const { type, kubeConfig } = objectAt(fields.connectionInfo, at, ['type', 'kubeConfig'])
  choiceAt(type, `${at}.type`, ['KubeConfig'])
  const { cacheAuthorizedRequests = true, cacheUnauthorizedRequests = true } = fields
  return {
    name,
    endpoint: endpointAt(kubeConfig, `${at}.kubeConfig`),
    timeout: timeoutAt(fields.timeout, `${path}.timeout`),
    authorizedTtl: ttlAt(fields.authorizedTTL, `${path}.authorizedTTL`, cacheAuthorizedRequests, defaultAuthorizedTtl),
    unauthorizedTtl: ttlAt(fields.unauthorizedTTL, `${path}.unauthorizedTTL`, cacheUnauthorizedRequests, defaultUnauthorizedTtl),
    failurePolicy: choiceAt(fields.failurePolicy, `${path}.failurePolicy`, ['Deny', 'NoOpinion']),
    matchConditions: conditions,
  }
}

function authorizerAt(value: unknown, path: string): { readonly name: string; readonly authorizer: AuthorizerConfiguration } {
  const { type, name: given, webhook } = objectAt(value, path, ['type', 'name', 'webhook'])
  const name = textAt(given, `${path}.name`)
  if (isDns1123Subdomain(name).length > 0) throw wrong(`${path}.name`, 'must be a DNS subdomain')
  // Nobody else decides here: no node has rights of its own, and nothing is allowed or denied to all.
  if (choiceAt(type, `${path}.type`, ['RBAC', 'Webhook']) === 'Webhook') {
    return { name, authorizer: webhookAt(webhook, `${path}.webhook`, name) }
  }
  if (webhook !== undefined) throw wrong(`${path}.webhook`, 'may only be specified when type=Webhook')
  return { name, authorizer: 'RBAC' }
}

/**
 * Reads the configuration. What is a file for kube-apiserver is in it: `connectionInfo: {type: KubeConfig, kubeConfig: {…}}`.
 * @param json '' where the deployment has none: roles and bindings decide alone
 * @throws Error that names the field which is wrong or not supported
 */
export function readAuthorizationConfiguration(json: string): readonly AuthorizerConfiguration[] {
  if (json === '') return ['RBAC']
  return readConfiguration(json, 'AuthorizationConfiguration', ['v1', 'v1beta1'], (value) => {
    const { authorizers } = objectAt(value, '', ['authorizers'])
    const all = listAt(authorizers, 'authorizers').map((one, i) => authorizerAt(one, `authorizers[${i}]`))
    if (all.length === 0) throw wrong('authorizers', 'must name at least one')
    if (new Set(all.map(({ name }) => name)).size < all.length) throw wrong('authorizers', 'names one twice')
    if (all.filter(({ authorizer }) => authorizer === 'RBAC').length > 1) throw wrong('authorizers', 'has RBAC twice')
    return all.map(({ authorizer }) => authorizer)
  })
}
