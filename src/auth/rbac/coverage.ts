/**
 * Decides whether rules cover others: users may only grant the permissions that they hold. Follows auth/rbac/validation of
 * component-helpers.
 */
import type { PolicyRule } from '../../clusters/rbac-objects.ts'
import { goQuote } from '../../go/text.ts'
import { WorkLimit } from '../../meta/work-limit.ts'
import { urlCovers } from './rule.ts'

const none: readonly string[] = []

/**
 * Breaks a rule into its smallest parts: one verb on one resource of one group, with at most one name, or one verb on one URL.
 */
function* parts(rule: PolicyRule): Generator<PolicyRule> {
  const { verbs, apiGroups = none, resources = none, resourceNames = none, nonResourceURLs = none } = rule
  for (const group of apiGroups) {
    for (const resource of resources) {
      for (const verb of verbs) {
        const part = { apiGroups: [group], resources: [resource], verbs: [verb] }
        if (resourceNames.length === 0) yield part
        for (const name of resourceNames) yield { ...part, resourceNames: [name] }
      }
    }
  }
  for (const url of nonResourceURLs) for (const verb of verbs) yield { nonResourceURLs: [url], verbs: [verb] }
}

const holdsAll = (set: readonly string[] | undefined, wanted: readonly string[] | undefined): boolean =>
  (set ?? none).includes('*') || (wanted ?? none).every((one) => (set ?? none).includes(one))

function coversResource(owned: readonly string[], resource: string): boolean {
  if (owned.includes('*') || owned.includes(resource)) return true
  const slash = resource.indexOf('/')
  return slash >= 0 && owned.includes(`*/${resource.slice(slash + 1)}`)
}

function coversNames(owned: PolicyRule, part: PolicyRule): boolean {
  const [names, wanted] = [owned.resourceNames ?? none, part.resourceNames ?? none]
  return names.length === 0 || (wanted.length > 0 && wanted.every((name) => names.includes(name)))
}

/** Whether one rule covers another, which may be a smallest part. */
function covers(owned: PolicyRule, part: PolicyRule): boolean {
  return (
    holdsAll(owned.verbs, part.verbs) &&
    holdsAll(owned.apiGroups, part.apiGroups) &&
    (part.resources ?? none).every((resource) => coversResource(owned.resources ?? none, resource)) &&
    coversNames(owned, part) &&
    (part.nonResourceURLs ?? none).every((url) => (owned.nonResourceURLs ?? none).some((own) => urlCovers(own, url)))
  )
}

/** The limit in steps of about 30 ns: the verbs, groups, resources and names of a rule multiply. */
const mostSteps = 5_000_000
/** The entries of lists that are compared in one step, and the steps for a part that is returned. */
const entriesOfStep = 16
const stepsOfPart = 50

const entriesIn = (rule: PolicyRule): number =>
  [rule.verbs, rule.apiGroups, rule.resources, rule.resourceNames, rule.nonResourceURLs].reduce(
    (sum, list) => sum + (list?.length ?? 0),
    1,
  )

/**
 * Returns the parts of `wanted` that no single rule of `owned` covers.
 * @throws ApiError 504 if there are too many parts
 */
export function uncovered(owned: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  const limit = new WorkLimit(mostSteps)
  const steps = owned.reduce((sum, rule) => sum + 1 + entriesIn(rule) / entriesOfStep, 1)
  const missing: PolicyRule[] = []
  for (const rule of wanted) {
    limit.count(steps * entriesIn(rule))
    if (owned.some((one) => covers(one, rule))) continue
    for (const part of parts(rule)) {
      limit.count(steps)
      if (owned.some((one) => covers(one, part))) continue
      limit.count(stepsOfPart)
      missing.push(part)
    }
  }
  return missing
}

const goList = (list: readonly string[]): string => `[${list.map(goQuote).join(' ')}]`

/** Formats a rule for the message of a refused escalation. */
function formatRule(rule: PolicyRule): string {
  const fields: readonly (readonly [string, readonly string[] | undefined])[] = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ]
  const present = fields.flatMap(([name, list]) => (list === undefined || list.length === 0 ? [] : [`${name}:${goList(list)}`]))
  return `{${present.join(', ')}}`
}

/** Formats parts as lines of a message: parts that differ only in the verb share a line; lines are sorted and unique. */
export function describeParts(missing: readonly PolicyRule[]): string {
  const lines: string[] = []
  const verbsOf = new Map<string, { readonly part: PolicyRule; readonly verbs: string[] }>()
  for (const part of missing) {
    if (part.nonResourceURLs !== undefined) {
      lines.push(formatRule(part))
      continue
    }
    const key = JSON.stringify([part.apiGroups, part.resources, part.resourceNames])
    const known = verbsOf.get(key)
    if (known === undefined) verbsOf.set(key, { part, verbs: [...part.verbs] })
    else known.verbs.push(...part.verbs)
  }
  for (const { part, verbs } of verbsOf.values()) lines.push(formatRule({ ...part, verbs }))
  return [...new Set(lines)].sort().join('\n')
}
