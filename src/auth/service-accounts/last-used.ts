/**
 * Records the last use of a legacy token as a label on its Secret, once a day, so that unused tokens can be found. Follows
 * KEP-2799.
 */
import { kindOf } from '../../catalog/scheme.ts'
import type { CollectionClient } from '../../clusters/collection-client.ts'
import { rfc3339Seconds } from '../../go/time.ts'
import { serverManager } from '../../meta/managers.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { lastUsedLabel } from './legacy-token.ts'

/** Formats a date as `2026-11-21`. */
const dateOf = (at: number): string => rfc3339Seconds(at).slice(0, 10)

const day = 24 * 3600 * 1000

/** Records that the token in the Secret was used now. Does nothing if the label already has the date. */
export async function noteUse(objects: CollectionClient, { metadata }: KubernetesObject, now: number): Promise<void> {
  const noted = metadata.labels?.[lastUsedLabel]
  // The clock of another server may be a day ahead.
  if (noted === dateOf(now) || noted === dateOf(now + day)) return
  const kind = kindOf('', 'v1', 'secrets')
  if (kind === undefined) return
  const { namespace = '', name = '', uid } = metadata
  const target = { group: '', version: 'v1', resource: 'secrets', subresource: '', namespace, name }
  const patch = JSON.stringify({ metadata: { uid, labels: { [lastUsedLabel]: dateOf(now) } } })
  const write = { manager: serverManager, dryRun: false }
  await objects.performWithoutAnswer(kind, { verb: 'patch', target, write, patchType: 'merge', fieldValidation: 'Ignore' }, patch)
}
