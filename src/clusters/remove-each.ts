/** Deletes the selected objects of a collection one by one. */
import type { Kind } from '../catalog/kind.ts'
import { ApiError } from '../meta/errors.ts'
import type { KubernetesObject } from '../meta/object-meta.ts'
import { WarningRecorder } from '../meta/warnings.ts'
import type { CollectionClient } from './collection-client.ts'
import { type ListOptions, type Operation, type Target, warningsHeader } from './operation.ts'

/** The objects that are deleted. */
export interface Selection {
  readonly kind: Kind
  readonly target: Target
  readonly list: ListOptions
}

/** The deletion of each object, without its target. */
export type EachDeletion = Omit<Extract<Operation, { readonly verb: 'delete' }>, 'target' | 'verb' | 'ofCollection'>

/**
 * Deletes the selected objects one by one: a policy or webhook may need lookups for each, and a commit cannot wait for them.
 * @returns the warnings of all deletions
 * @throws ApiError of the first deletion that fails, except a 404. Objects that were deleted before stay deleted.
 */
export async function removeEach(
  client: CollectionClient,
  { kind, target, list }: Selection,
  deletion: EachDeletion,
): Promise<readonly string[]> {
  const warnings = new WarningRecorder()
  const representation = { as: 'PartialObjectMetadataList', version: 'v1' } as const
  const unconverted = deletion.unconverted === true ? { unconverted: true as const } : {}
  const selected = await client.perform(kind, { verb: 'list', ...unconverted, target, list, representation })
  const { items } = await selected.json<{ readonly items: readonly KubernetesObject[] | null }>()
  for (const { metadata } of items ?? []) {
    const { namespace = '', name = '' } = metadata
    try {
      const each = { ...deletion, verb: 'delete', ofCollection: true, target: { ...target, namespace, name } } as const
      const deleted = await client.perform(kind, each)
      for (const text of JSON.parse(deleted.headers.get(warningsHeader) ?? '[]') as string[]) warnings.add(text)
      await deleted.body?.cancel()
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (error.code !== 404) throw error.warning(warnings.texts)
    }
  }
  return warnings.texts
}
