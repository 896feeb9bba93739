/** Between the version in which objects are stored and the one in which they are asked for. */
import type { Conversion } from '../catalog/kind.ts'
import { internalError } from '../meta/errors.ts'
import type { JsonObject } from '../meta/json-value.ts'
import type { KubernetesObject } from '../meta/object-meta.ts'
import { coerce } from './decode.ts'
import type { CustomResourceDefinition } from './definition.ts'
import type { ReadVersion } from './read-version.ts'
import { applyDefaults } from './schema/default.ts'

/** How stored objects are read: as they are, or with the defaults and without the fields that have come and gone since. */
export type Reading = 'as stored' | 'renewed'

const json = (object: KubernetesObject): JsonObject => object as unknown as JsonObject

/** Leaves out what a version does not know, in place. */
function pruned(object: KubernetesObject, { decoding }: ReadVersion): KubernetesObject {
  const metadata = coerce(json(object), decoding, undefined)
  return { ...object, metadata: metadata as KubernetesObject['metadata'] }
}

/** Conversion webhooks are not called: no object is given out, or taken, in a version that it was not converted to. */
function unconvertible({ spec }: CustomResourceDefinition, stored: ReadVersion, read: ReadVersion): Conversion {
  const refuse = (): never => {
    const between = `${spec.group}/${read.version.name} and the storage version ${stored.version.name}`
    throw internalError(`conversion webhooks are not supported: no way between ${between}, Kind=${spec.names.kind}`)
  }
  return { toStorage: refuse, fromStorage: refuse }
}

/**
 * Objects that are stored are read with the defaults of the version that they were stored in; then what the version of the
 * request does not know is left out. Of strategy None nothing else changes.
 */
export function conversionOf(
  definition: CustomResourceDefinition,
  reads: readonly ReadVersion[],
  read: ReadVersion,
  reading: Reading,
): Conversion | undefined {
  const stored = reads.find(({ version }) => version.storage) ?? read
  if (definition.spec.conversion?.strategy === 'Webhook' && stored !== read) return unconvertible(definition, stored, read)
  if (stored === read && reading === 'as stored') return undefined
  return {
    toStorage: (object) => pruned(structuredClone(object), stored),
    fromStorage: (object) => {
      applyDefaults(json(object), stored.node)
      return pruned(object, read)
    },
  }
}
