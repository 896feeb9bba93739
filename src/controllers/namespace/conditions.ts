/** What a namespace on its way out says of its content. Pure. Follows the namespace controller's conditions. */
import { rfc3339Seconds } from '../../go/time.ts'

/** A condition of a Namespace. */
export interface NamespaceCondition {
  type: string
  status: string
  lastTransitionTime?: string | null
  reason?: string
  message?: string
}

/** What was left of one collection after a deletion. */
export interface Remainder {
  /** `<resource>.<group>`, with the dot also where there is no group. */
  readonly name: string
  readonly objects: number
  /** How many objects have each finalizer. */
  readonly finalizers: ReadonlyMap<string, number>
}

/** What a look at the content found. */
export interface Findings {
  /** Collections that still hold objects. Not told as long as only Pods were deleted. */
  readonly remainders: readonly Remainder[]
  /** What could not be deleted, and why. */
  readonly failures: readonly string[]
}

/** What a type says: when all is well, and otherwise. The order is the one in which they are added. */
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
  const shown = sorted(remainders.map(({ name, objects }) => `${name} has ${objects} resource instances`))
  return ['SomeResourcesRemain', `Some resources are remaining: ${shown}`]
}

function held({ remainders }: Findings): readonly [string, string] | undefined {
  const counts = new Map<string, number>()
  for (const { finalizers } of remainders) {
    for (const [name, count] of finalizers) counts.set(name, (counts.get(name) ?? 0) + count)
  }
  if (counts.size === 0) return undefined
  const shown = sorted([...counts].map(([name, count]) => `${name} in ${count} resource instances`))
  return ['SomeFinalizersRemain', `Some content in the namespace has finalizers remaining: ${shown}`]
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
    wrong: held,
  },
]

/**
 * The conditions after a look at the content. Those of other types stay as they are, and one that says the same is kept.
 * @returns undefined where nothing changes
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
