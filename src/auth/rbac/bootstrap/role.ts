/** How the roles of every cluster are written down: lists as words, the core group as `core`. */
import type { PolicyRule } from '../../../clusters/rbac-objects.ts'

/** A role that is there from the beginning. */
export interface BootstrapRole {
  readonly rules?: readonly PolicyRule[]
  /** The role has the rules of all roles that aggregate to one of these names. */
  readonly aggregates?: readonly string[]
  /** To which names the role's rules are aggregated. */
  readonly aggregatesTo?: readonly string[]
}

const words = (text: string): string[] => text.split(' ').map((word) => (word === 'core' ? '' : word))

/** A rule on resources. */
export function on(apiGroups: string, resources: string, verbs: string, resourceNames?: string): PolicyRule {
  return {
    verbs: words(verbs),
    apiGroups: words(apiGroups),
    resources: words(resources),
    ...(resourceNames !== undefined && { resourceNames: words(resourceNames) }),
  }
}

/** A rule on paths. */
export function urls(nonResourceURLs: string, verbs: string): PolicyRule {
  return { verbs: words(verbs), nonResourceURLs: words(nonResourceURLs) }
}
