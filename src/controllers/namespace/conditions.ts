/** The conditions of a terminating namespace. Pure. Follows the conditions of the upstream namespace controller. */
import { rfc3339Seconds } from '../../go/time.ts'

export interface NamespaceCondition {
  type: string
  status: string
  lastTransitionTime?: string | null
  reason?: string
  message?: string
}

/** The remaining objects of one collection after a deletion. */
export interface Remainder {
  /** `<resource>.<group>`; the dot is present for the core group too. */
  readonly name: string
  readonly objects: number
  /** The number of objects with each finalizer. */
  readonly finalizers: ReadonlyMap<string, number>
}

/** The result of one deletion of the content. */
export interface Findings {
  /** The collections that still hold objects. Not reported in the first phase, in which only Pods are deleted. */
  readonly remainders: readonly Remainder[]
  /** The errors of failed deletions. */
  readonly failures: readonly string[]
}

/** A condition type with its reason and message, if all is well and otherwise. New conditions are added in this order. */
interface ConditionType {
  readonly type: string
  readonly well: readonly [reason: string, message: string]
  readonly wrong?: (findings: Findings) => readonly [reason: string, message: string] | undefined
}

const sorted = (texts: readonly string[]): string => [...texts].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)).join(', ')

function failed({ failures }: Findings): readonly [string, string] | undefined {
  if (failures.length === 0) return undefined
  return ['ContentDeletionFailed', `Failed to delete all resource types, ${failures.length} remaining: ${sorted(failures)}`]
}

function remaining({ remainders }: Findings): readonly [string, string] | undefined {
  if (remainders.length === 0) return undefined
  const listed = sorted(remainders.map(({ name, objects }) => `${name} has ${objects} resource instances`))
  return ['SomeResourcesRemain', `Some resources are remaining: ${listed}`]
}

function remainingFinalizers({ remainders }: Findings): readonly [string, string] | undefined {
  const counts = new Map<string, number>()
  for (const { finalizers } of remainders) {
    for (const [name, count] of finalizers) counts.set(name, (counts.get(name) ?? 0) + count)
  }
  if (counts.size === 0) return undefined
  const listed = sorted([...counts].map(([name, count]) => `${name} in ${count} resource instances`))
  return ['SomeFinalizersRemain', `Some content in the namespace has finalizers remaining: ${listed}`]
}

const types: readonly ConditionType[] = [
  { type: 'NamespaceDeletionDiscoveryFailure', well: ['ResourcesDiscovered', 'All resources successfully discovered'] },
  {
    type: 'NamespaceDeletionGroupVersionParsingFailure',
    well: ['ParsedGroupVersions', 'All legacy kube types successfully parsed'],
  },
  {
    type: 'NamespaceDeletionContentFailure',
    well: ['ContentDeleted', 'All content successfully deleted, may be waiting on finalization'],
    wrong: failed,
  },
  {
    type: 'NamespaceContentRemaining',
    well: ['ContentRemoved', 'All content successfully removed'],
    wrong: remaining,
  },
  {
    type: 'NamespaceFinalizersRemaining',
    well: ['ContentHasNoFinalizers', 'All content-preserving finalizers finished'],
    wrong: remainingFinalizers,
  },
]

/**
 * Returns the conditions after a deletion of the content. Conditions of other types are kept, and so is one with the same
 * content.
 * @returns undefined if nothing changes
 */
export function conditionsOf(
  before: readonly NamespaceCondition[],
  findings: Findings,
  now: number,
): NamespaceCondition[] | undefined {
  const after = before.map((condition) => ({ ...condition }))
  let changed = false
  for (const { type, well, wrong } of types) {
    const trouble = wrong?.(findings)
    const status = trouble === undefined ? 'False' : 'True'
    const [reason, message] = trouble ?? well
    const old = after.find((condition) => condition.type === type)
    if (old?.status === status && old.reason === reason && old.message === message) continue
    changed = true
    if (old === undefined) after.push({ type, status, lastTransitionTime: rfc3339Seconds(now), reason, message })
    else {
      if (old.status !== status) old.lastTransitionTime = rfc3339Seconds(now)
      Object.assign(old, { status, reason, message })
    }
  }
  return changed ? after : undefined
}
