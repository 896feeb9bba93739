/** Tells the CustomResourceDefinition of a resource about its migration, and ends the versions that nothing is stored in any more. */
import { kindOf } from '../../catalog/scheme.ts'
import type { CustomResourceDefinition } from '../../crd/definition.ts'
import { definitionPrefix } from '../../crd/definition.ts'
import { rfc3339Seconds } from '../../go/time.ts'
import { apply } from '../../registry/apply.ts'
import type { Registry } from '../../registry/registry.ts'
import { objectOf } from '../../registry/stored-object.ts'

const group = 'apiextensions.k8s.io'
const resource = 'customresourcedefinitions'
const manager = 'migration-runner-controller'
const type = 'StorageMigrating'

/** A condition of the definition, and the versions in which its objects are stored. */
interface DefinitionStatus {
  readonly status: 'True' | 'False'
  readonly reason: string
  readonly message: string
  readonly storedVersions?: readonly string[]
}

function definitionNamed({ store }: Registry, name: string): CustomResourceDefinition | undefined {
  const stored = store.get(definitionPrefix + name)
  return stored === undefined ? undefined : (objectOf(stored) as CustomResourceDefinition)
}

async function applyStatus(registry: Registry, { metadata }: CustomResourceDefinition, change: DefinitionStatus): Promise<void> {
  const kind = kindOf(group, 'v1', resource)
  if (kind === undefined) throw new Error('no kind CustomResourceDefinition')
  const { name = '', generation = 0, resourceVersion = '' } = metadata
  const { storedVersions, ...fields } = change
  const condition = { type, ...fields, lastTransitionTime: rfc3339Seconds(registry.now()), observedGeneration: generation }
  const status = { conditions: [condition], ...(storedVersions !== undefined && { storedVersions }) }
  // The definition must not have changed since it was read.
  const text = JSON.stringify({ apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name, resourceVersion }, status })
  const target = { group, version: 'v1', resource, subresource: 'status', namespace: '', name }
  await apply({ registry, kind, target, write: { manager, dryRun: false } }, { text, force: true })
}

/** Sets the condition StorageMigrating of a definition, if there is one of the name. @throws ApiError 409 if it has changed meanwhile */
export async function beginInDefinition(registry: Registry, name: string, migration: string): Promise<void> {
  const definition = definitionNamed(registry, name)
  if (definition === undefined) return
  await applyStatus(registry, definition, {
    status: 'True',
    reason: 'MigrationRunning',
    message: `Migration ${migration} is running`,
  })
}

/**
 * Ends the condition. After a migration that has succeeded, objects are stored in the storage version only, unless the definition
 * has changed meanwhile.
 * @throws ApiError 409 if it has changed since it was read
 */
export async function endInDefinition(registry: Registry, name: string, hasSucceeded: boolean): Promise<void> {
  const definition = definitionNamed(registry, name)
  if (definition === undefined) return
  const { metadata, spec, status } = definition
  const begun = (status?.conditions ?? []).find((condition) => condition.type === type)
  const isUnchanged = begun !== undefined && begun.observedGeneration === metadata.generation
  const versions = isUnchanged ? 'and the stored versions have been updated' : undefined
  const unchanged = 'but the stored versions have not been updated due to a generation mismatch'
  const stored = spec.versions.find(({ storage }) => storage)?.name
  await applyStatus(registry, definition, {
    status: 'False',
    reason: hasSucceeded ? 'MigrationSucceeded' : 'MigrationFailed',
    message: hasSucceeded ? `The migration has succeeded ${versions ?? unchanged}` : 'The migration has failed',
    ...(isUnchanged && stored !== undefined && { storedVersions: [stored] }),
  })
}
