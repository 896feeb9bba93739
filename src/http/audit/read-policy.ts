/** Reads a Policy of audit.k8s.io/v1 from JSON or YAML. Follows apiserver's validation of it. */
import { ConfigurationError, requireSchema } from '../../config/document.ts'
import { isDns1123Subdomain } from '../../meta/names.ts'
import { readYaml } from '../../yaml/parse.ts'
import { AuditPolicy, type GroupResources, type Level, type PolicyRule, type Stage } from './policy.ts'

/** The document, as src/config/schemas/audit-policy.json describes it. */
interface RawPolicy {
  readonly omitStages?: readonly Stage[] | null
  readonly omitManagedFields?: boolean | null
  readonly rules: readonly RawRule[]
}

type Texts = readonly string[] | null

interface RawRule {
  readonly level: Level
  readonly users?: Texts
  readonly userGroups?: Texts
  readonly verbs?: Texts
  readonly resources?: readonly RawResources[] | null
  readonly namespaces?: Texts
  readonly nonResourceURLs?: Texts
  readonly omitStages?: readonly Stage[] | null
  readonly omitManagedFields?: boolean | null
}

interface RawResources {
  readonly group?: string
  readonly resources?: Texts
  readonly resourceNames?: Texts
}

const invalid = (path: string, problem: string): Error => new Error(`audit policy: ${path} ${problem}`)

function checkUrls(urls: readonly string[], path: string): void {
  for (const [index, url] of urls.entries()) {
    if (url === '*') continue
    const at = `${path}.nonResourceURLs[${index}]`
    if (!url.startsWith('/')) throw invalid(at, "must begin with a '/' character")
    if (url.slice(0, -1).includes('*')) throw invalid(at, "wildcards '*' must be the final character")
  }
}

function resourcesOf({ group = '', resources, resourceNames }: RawResources, path: string): GroupResources {
  const isGroup = group === '' || group === '*' || isDns1123Subdomain(group).length === 0
  if (!isGroup) throw invalid(`${path}.group`, 'must be the name of an API group, without a version')
  const read = { group, resources: resources ?? [], resourceNames: resourceNames ?? [] }
  if (read.resourceNames.length > 0 && read.resources.length === 0) {
    throw invalid(`${path}.resourceNames`, 'requires at least one resource')
  }
  return read
}

interface Defaults {
  readonly omitStages: readonly Stage[]
  readonly omitManagedFields: boolean
}

function ruleOf(rule: RawRule, path: string, defaults: Defaults): PolicyRule {
  const nonResourceURLs = rule.nonResourceURLs ?? []
  checkUrls(nonResourceURLs, path)
  const resources = (rule.resources ?? []).map((one, index) => resourcesOf(one, `${path}.resources[${index}]`))
  const namespaces = rule.namespaces ?? []
  if (nonResourceURLs.length > 0 && (resources.length > 0 || namespaces.length > 0)) {
    throw invalid(`${path}.nonResourceURLs`, 'rules cannot apply to both regular resources and non-resource URLs')
  }
  return {
    level: rule.level,
    users: rule.users ?? [],
    userGroups: rule.userGroups ?? [],
    verbs: rule.verbs ?? [],
    resources,
    namespaces,
    nonResourceURLs,
    omitStages: [...defaults.omitStages, ...(rule.omitStages ?? [])],
    omitManagedFields: rule.omitManagedFields ?? defaults.omitManagedFields,
  }
}

/**
 * Reads an audit policy.
 * @param text JSON or YAML
 * @throws Error that names the invalid field
 */
export function readAuditPolicy(text: string): AuditPolicy {
  const { value, duplicates } = readYaml(text)
  if (duplicates.length > 0) throw invalid('document', duplicates.join(', '))
  try {
    requireSchema('auditPolicy', value)
  } catch (error) {
    throw error instanceof ConfigurationError ? invalid(error.path || 'document', error.message) : error
  }
  const policy = value as unknown as RawPolicy
  const defaults = { omitStages: policy.omitStages ?? [], omitManagedFields: policy.omitManagedFields ?? false }
  return new AuditPolicy(policy.rules.map((rule, index) => ruleOf(rule, `rules[${index}]`, defaults)))
}
