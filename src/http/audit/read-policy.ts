/** Reads a Policy of audit.k8s.io/v1 from JSON or YAML. Follows apiserver's validation of it. */
import type { JsonObject, JsonValue } from '../../go/json-value.ts'
import { isDns1123Subdomain } from '../../meta/names.ts'
import { readYaml } from '../../yaml/parse.ts'
import { AuditPolicy, type GroupResources, type Level, levels, type PolicyRule, type Stage, stages } from './policy.ts'

const wrong = (path: string, why: string): Error => new Error(`audit policy: ${path}: ${why}`)

function objectAt(value: JsonValue | undefined, path: string): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject
  throw wrong(path, 'must be an object')
}

function listAt(object: JsonObject, field: string, path: string): readonly JsonValue[] {
  const value = object[field] ?? []
  if (!Array.isArray(value)) throw wrong(`${path}${field}`, 'must be a list')
  return value
}

function textsAt(object: JsonObject, field: string, path: string): readonly string[] {
  return listAt(object, field, path).map((value, index) => {
    if (typeof value !== 'string') throw wrong(`${path}${field}[${index}]`, 'must be a string')
    return value
  })
}

function flagAt(object: JsonObject, field: string, path: string): boolean | undefined {
  const value = object[field] ?? undefined
  if (value !== undefined && typeof value !== 'boolean') throw wrong(`${path}${field}`, 'must be true or false')
  return value
}

function stagesAt(object: JsonObject, path: string): readonly Stage[] {
  return textsAt(object, 'omitStages', path).map((text, index) => {
    const stage = stages.find((one) => one === text)
    if (stage === undefined) throw wrong(`${path}omitStages[${index}]`, `allowed stages are ${stages.join(',')}`)
    return stage
  })
}

function levelAt(object: JsonObject, path: string): Level {
  const level = levels.find((one) => one === object.level)
  if (level === undefined) throw wrong(`${path}level`, `must be one of ${levels.join(', ')}`)
  return level
}

function urlsAt(object: JsonObject, path: string): readonly string[] {
  const urls = textsAt(object, 'nonResourceURLs', path)
  for (const [index, url] of urls.entries()) {
    if (url === '*') continue
    const at = `${path}nonResourceURLs[${index}]`
    if (!url.startsWith('/')) throw wrong(at, "must begin with a '/' character")
    if (url.slice(0, -1).includes('*')) throw wrong(at, "wildcards '*' must be the final character")
  }
  return urls
}

function groupAt(value: JsonValue, path: string): GroupResources {
  const object = objectAt(value, path)
  const group = object.group ?? ''
  const isGroup = typeof group === 'string' && (group === '' || group === '*' || isDns1123Subdomain(group).length === 0)
  if (!isGroup) throw wrong(`${path}.group`, 'must be the name of an API group, without a version')
  const resources = textsAt(object, 'resources', `${path}.`)
  const resourceNames = textsAt(object, 'resourceNames', `${path}.`)
  if (resourceNames.length > 0 && resources.length === 0) throw wrong(`${path}.resourceNames`, 'requires at least one resource')
  return { group, resources, resourceNames }
}

interface Defaults {
  readonly omitStages: readonly Stage[]
  readonly omitManagedFields: boolean
}

function ruleAt(value: JsonValue, path: string, defaults: Defaults): PolicyRule {
  const object = objectAt(value, path)
  const below = `${path}.`
  const nonResourceURLs = urlsAt(object, below)
  const resources = listAt(object, 'resources', below).map((one, index) => groupAt(one, `${below}resources[${index}]`))
  const namespaces = textsAt(object, 'namespaces', below)
  if (nonResourceURLs.length > 0 && (resources.length > 0 || namespaces.length > 0)) {
    throw wrong(`${below}nonResourceURLs`, 'rules cannot apply to both regular resources and non-resource URLs')
  }
  return {
    level: levelAt(object, below),
    users: textsAt(object, 'users', below),
    userGroups: textsAt(object, 'userGroups', below),
    verbs: textsAt(object, 'verbs', below),
    resources,
    namespaces,
    nonResourceURLs,
    omitStages: [...defaults.omitStages, ...stagesAt(object, below)],
    omitManagedFields: flagAt(object, 'omitManagedFields', below) ?? defaults.omitManagedFields,
  }
}

/**
 * @param text JSON or YAML
 * @throws Error that tells what is wrong with it, and where
 */
export function readAuditPolicy(text: string): AuditPolicy {
  const { value, duplicates } = readYaml(text)
  if (duplicates.length > 0) throw wrong('document', duplicates.join(', '))
  const policy = objectAt(value, 'document')
  if (policy.kind !== 'Policy' || policy.apiVersion !== 'audit.k8s.io/v1') {
    throw wrong('document', 'must be a Policy of audit.k8s.io/v1')
  }
  const defaults = { omitStages: stagesAt(policy, ''), omitManagedFields: flagAt(policy, 'omitManagedFields', '') ?? false }
  const rules = listAt(policy, 'rules', '').map((value, index) => ruleAt(value, `rules[${index}]`, defaults))
  if (rules.length === 0) throw wrong('rules', 'at least one is required')
  return new AuditPolicy(rules)
}
