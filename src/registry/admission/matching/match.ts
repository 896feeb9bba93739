/**
 * Decides whether a webhook or a policy is about a request: by its rules and its selectors. Follows ShouldCallHook of the generic
 * webhook and Matches of the package policy/matching.
 */
import type { LabelSelectorObject } from '../../../meta/label-selector-object.ts'
import { MissingLookups } from '../../../meta/lookups.ts'
import { type EquivalentResource, type Equivalents, resourceOf } from './equivalents.ts'
import { type MatchPolicy, type MatchRequest, matchRules, type Rule } from './rules.ts'
import { type MatchedObjects, matchesNamespace, matchesObject, type ParsedSelector, parsedSelector } from './selectors.ts'

/** The criteria of a webhook (`rules`). */
export interface WebhookCriteria {
  readonly namespaceSelector?: LabelSelectorObject
  readonly objectSelector?: LabelSelectorObject
  readonly rules?: readonly Rule[]
  readonly matchPolicy?: string
}

/** The criteria of a policy (`matchConstraints`) or a binding (`matchResources`). */
export interface PolicyCriteria {
  readonly namespaceSelector?: LabelSelectorObject
  readonly objectSelector?: LabelSelectorObject
  /** Absent or empty for all resources. */
  readonly resourceRules?: readonly Rule[]
  readonly excludeResourceRules?: readonly Rule[]
  readonly matchPolicy?: string
}

/** The criteria of a webhook or policy, with parsed selectors. */
export interface Matcher {
  /**
   * Returns the resource in whose version the webhook or policy wants to see the object; undefined if it is not about the request.
   * @throws ApiError if a selector is invalid or the namespace does not exist, MissingLookups
   */
  readonly match: (request: MatchRequest, objects: MatchedObjects) => EquivalentResource | undefined
  /** Whether the rules alone are about a request. */
  readonly mayMatch: (request: MatchRequest) => boolean
}

interface Selectors {
  readonly namespace: ParsedSelector
  readonly object: ParsedSelector
}

const policyOf = (text: string | undefined): MatchPolicy | undefined =>
  text === 'Equivalent' || text === 'Exact' ? text : undefined

const selectorsOf = ({ namespaceSelector, objectSelector }: WebhookCriteria): Selectors => ({
  namespace: parsedSelector(namespaceSelector),
  object: parsedSelector(objectSelector),
})

/**
 * The result of a check, or the error with which it failed. The error counts only if all other criteria match: an unrelated request
 * must not fail.
 */
type Outcome = { readonly matches: boolean } | { readonly error: unknown }

function attempt(check: () => boolean): Outcome {
  try {
    return { matches: check() }
  } catch (error) {
    return { error }
  }
}

const isRefused = (outcome: Outcome): boolean => 'matches' in outcome && !outcome.matches

function throwError(outcome: Outcome): void {
  if ('error' in outcome) throw outcome.error
}

function matchAll(
  selectors: Selectors,
  request: MatchRequest,
  objects: MatchedObjects,
  matchResource: () => EquivalentResource | undefined,
): EquivalentResource | undefined {
  // The rules come first: most requests fit none, and the labels of a namespace may be a lookup.
  const resource = matchResource()
  if (resource === undefined) return undefined
  const inObject = attempt(() => matchesObject(selectors.object, objects))
  if (isRefused(inObject)) return undefined
  const inNamespace = attempt(() => matchesNamespace(selectors.namespace, request, objects))
  if ('error' in inNamespace && inNamespace.error instanceof MissingLookups) throw inNamespace.error
  if (isRefused(inNamespace)) return undefined
  throwError(inNamespace)
  throwError(inObject)
  return resource
}

/** Returns the matcher of a webhook. */
export function webhookMatcher(criteria: WebhookCriteria, equivalents: Equivalents): Matcher {
  const { rules = [], matchPolicy } = criteria
  const selectors = selectorsOf(criteria)
  const ofRules = (request: MatchRequest): EquivalentResource | undefined =>
    matchRules(rules, policyOf(matchPolicy), request, equivalents)
  return {
    match: (request, objects) => matchAll(selectors, request, objects, () => ofRules(request)),
    mayMatch: (request) => ofRules(request) !== undefined,
  }
}

/** Returns the matcher of a policy or binding. */
export function policyMatcher(criteria: PolicyCriteria, equivalents: Equivalents): Matcher {
  const { resourceRules = [], excludeResourceRules = [], matchPolicy } = criteria
  const selectors = selectorsOf(criteria)
  const policy = policyOf(matchPolicy)
  const ofRules = (request: MatchRequest): EquivalentResource | undefined => {
    if (matchRules(excludeResourceRules, policy, request, equivalents) !== undefined) return undefined
    return resourceRules.length === 0
      ? resourceOf(request.kind, request.subresource)
      : matchRules(resourceRules, policy, request, equivalents)
  }
  return {
    match: (request, objects) => matchAll(selectors, request, objects, () => ofRules(request)),
    mayMatch: (request) => ofRules(request) !== undefined,
  }
}
