/**
 * Decides the next step of StorageVersionMigrations. Pure: the wiring does it. Follows
 * k8s.io/kubernetes/pkg/controller/storageversionmigrator.
 */

import type { Condition } from '../../catalog/generated/types/meta.v1.ts'
import type { StorageVersionMigration } from '../../catalog/generated/types/storagemigration.v1beta1.ts'

/** The types of the conditions. */
export type MigrationCondition = 'Running' | 'Succeeded' | 'Failed'

/** The next step of one migration. */
export type Step =
  /** Nothing is left to do before the next change. */
  | { readonly do: 'nothing' }
  /** Becomes the only migration of its resource that runs. */
  | { readonly do: 'start' }
  /** Finds the resourceVersion up to which objects are rewritten. */
  | { readonly do: 'measure' }
  /** Rewrites the objects that have not changed since this resourceVersion. */
  | { readonly do: 'rewrite'; readonly until: string }
  /** Ends the condition Running. */
  | { readonly do: 'finish'; readonly hasSucceeded: boolean }

/** Whether a condition is true. */
export const isTrue = ({ status }: StorageVersionMigration, type: MigrationCondition): boolean =>
  (status.conditions ?? []).some((condition) => condition.type === type && condition.status === 'True')

const hasEnded = (migration: StorageVersionMigration): boolean => isTrue(migration, 'Succeeded') || isTrue(migration, 'Failed')

const keyOf = ({ metadata }: StorageVersionMigration): string => `${metadata.creationTimestamp} ${metadata.name}`

/**
 * Returns the next step.
 * @param all the migrations of the same resource: the oldest comes first, one at a time
 */
export function stepOf(migration: StorageVersionMigration, all: readonly StorageVersionMigration[]): Step {
  const isRunning = isTrue(migration, 'Running')
  if (hasEnded(migration)) return isRunning ? { do: 'finish', hasSucceeded: isTrue(migration, 'Succeeded') } : { do: 'nothing' }
  if (!isRunning) {
    const waiting = all.filter((other) => !hasEnded(other))
    const isNext = !waiting.some((other) => isTrue(other, 'Running') || keyOf(other) < keyOf(migration))
    return { do: isNext ? 'start' : 'nothing' }
  }
  const { resourceVersion = '' } = migration.status
  return resourceVersion === '' ? { do: 'measure' } : { do: 'rewrite', until: resourceVersion }
}

const texts: Readonly<Record<MigrationCondition, readonly [reason: string, message: string]>> = {
  Running: ['MigrationRunning', 'The migration is running'],
  Succeeded: ['StorageVersionMigrationSucceeded', ''],
  Failed: ['StorageVersionMigrationFailed', ''],
}

/** Returns the conditions with one that is true now. @param time RFC 3339 */
export function withCondition(
  conditions: readonly Condition[],
  type: MigrationCondition,
  time: string,
  failure = '',
): readonly Condition[] {
  if (conditions.some((condition) => condition.type === type)) return conditions
  const [reason, message] = texts[type]
  return [...conditions, { type, status: 'True', lastTransitionTime: time, reason, message: failure || message }]
}

/** Returns the conditions of a migration that does not run any more. @param time RFC 3339 */
export const withoutRunning = (
  conditions: readonly Condition[],
  time: string,
  observedGeneration: number | undefined,
): readonly Condition[] =>
  conditions.map((condition) =>
    condition.type === 'Running'
      ? {
          type: 'Running',
          status: 'False',
          ...(observedGeneration !== undefined && observedGeneration !== 0 && { observedGeneration }),
          lastTransitionTime: time,
          reason: 'MigrationCompleted',
          message: 'Migration completed',
        }
      : condition,
  )
