/** Removes the finalizers of deleted volumes and claims that are not in use. */
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../../catalog/generated/types/core.v1.ts'
import { kindOf } from '../../catalog/scheme.ts'
import type { CollectionClient } from '../../clusters/collection-client.ts'
import { findObject, listObjects, type ReadTarget } from '../../clusters/read-object.ts'
import { ApiError } from '../../meta/errors.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { listUnder } from '../../registry/list/all.ts'
import { objectOf } from '../../registry/stored-object.ts'
import type { Stored } from '../../storage/store.ts'
import type { Controller, ControllerContext } from '../controller.ts'
import type { Drain } from '../outbox.ts'
import {
  type ClaimUse,
  claimFinalizer,
  isDeletionCandidate,
  isDue,
  isUsed,
  isVolumeInUse,
  releasedClaims,
  usesOf,
  volumeFinalizer,
  withoutFinalizer,
} from './reconcile.ts'

const manager = 'kube-controller-manager'

/**
 * Stores a volume or claim without the finalizer, if nobody has changed it since it was read.
 * @returns false if it was changed
 */
async function removeFinalizer(
  collections: CollectionClient,
  place: Pick<ReadTarget, 'resource'>,
  object: KubernetesObject,
  finalizer: string,
): Promise<boolean> {
  const { resource } = place
  const kind = kindOf('', 'v1', resource)
  if (kind === undefined) throw new Error(`no kind for ${resource}`)
  const { namespace = '', name = '' } = object.metadata
  const target = { group: '', version: 'v1', resource, subresource: '', namespace, name }
  try {
    const operation = { verb: 'update', target, write: { manager, dryRun: false } } as const
    await collections.performWithoutAnswer(kind, operation, JSON.stringify(withoutFinalizer(object, finalizer)))
    return true
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) return true
    if (error instanceof ApiError && error.code === 409) return false
    throw error
  }
}

/** Whether the stored text may be an object in deletion; an annotation may contain the same text. */
const mayBeDeleted = ({ value }: Stored): boolean => value.includes('"deletionTimestamp":')

/** Returns the controller of the collection of PersistentVolumes. */
export function volumeProtectionController({ collections, registry }: ControllerContext): Controller {
  const stored = (key: string): PersistentVolume | undefined => {
    const found = registry().store.get(key)
    return found && (objectOf(found) as PersistentVolume)
  }
  return {
    enqueue({ type, object }) {
      if (type === 'DELETED' || !mayBeDeleted(object)) return undefined
      return isDeletionCandidate(objectOf(object), volumeFinalizer) ? `deleted-volume/${object.key}` : undefined
    },
    reconcilers: {
      'deleted-volume': async (key) => {
        const volume = stored(key)
        if (volume === undefined || !isDeletionCandidate(volume, volumeFinalizer) || isVolumeInUse(volume)) return true
        if (!isDue(volume, registry().now())) return false
        return removeFinalizer(collections, { resource: 'persistentvolumes' }, volume, volumeFinalizer)
      },
    },
  }
}

/** The uses of claims in the namespaces whose deleted claims are reconciled together. */
class ClaimUses {
  readonly #collections: CollectionClient
  readonly #namespaces = new Map<string, readonly ClaimUse[]>()

  constructor(collections: CollectionClient) {
    this.#collections = collections
  }

  /** Returns the uses of claims in a namespace. */
  async in(namespace: string): Promise<readonly ClaimUse[]> {
    const known = this.#namespaces.get(namespace)
    if (known !== undefined) return known
    const uses: ClaimUse[] = []
    const assigned = listObjects<Pod>(this.#collections, { resource: 'pods', namespace }, 'spec.nodeName!=')
    for await (const pod of assigned) uses.push(...usesOf(pod))
    this.#namespaces.set(namespace, uses)
    return uses
  }
}

/** Returns the controller of the collection of PersistentVolumeClaims. */
export function claimProtectionController({ collections, registry }: ControllerContext): Controller {
  const byDrain = new WeakMap<Drain, ClaimUses>()
  const usesIn = (namespace: string, drain: Drain): Promise<readonly ClaimUse[]> => {
    const uses = byDrain.get(drain) ?? new ClaimUses(collections)
    byDrain.set(drain, uses)
    return uses.in(namespace)
  }
  return {
    enqueue({ type, object }) {
      if (type === 'DELETED' || !mayBeDeleted(object)) return undefined
      return isDeletionCandidate(objectOf(object), claimFinalizer) ? `deleted-claim/${object.key}` : undefined
    },
    reconcilers: {
      'deleted-claim': async (key, drain) => {
        const found = registry().store.get(key)
        const claim = found && (objectOf(found) as PersistentVolumeClaim)
        if (claim === undefined || !isDeletionCandidate(claim, claimFinalizer)) return true
        if (!isDue(claim, registry().now())) return false
        const uses = await usesIn(claim.metadata.namespace ?? '', drain)
        if (uses.some((use) => isUsed(claim, use))) return true
        return removeFinalizer(collections, { resource: 'persistentvolumeclaims' }, claim, claimFinalizer)
      },
    },
  }
}

/** Whether the stored text may be a Pod that uses claims. */
const mayUseClaims = ({ value }: Stored): boolean => value.includes('"persistentVolumeClaim":') || value.includes('"ephemeral":')

/** Returns the controller of the collection of Pods: the end of a Pod may make a deleted claim free. */
export function claimUserController({ collections, registry }: ControllerContext): Controller {
  const isUsedIn = (namespace: string, claim: PersistentVolumeClaim): boolean => {
    for (const pod of listUnder(registry().store, `pods/${namespace}/`)) {
      if (usesOf(pod as Pod).some((use) => isUsed(claim, use))) return true
    }
    return false
  }
  return {
    enqueue({ type, object }) {
      if (!mayUseClaims(object) || (type !== 'DELETED' && !mayBeDeleted(object))) return undefined
      const pod = objectOf(object) as Pod
      return releasedClaims(pod, type === 'DELETED').map((name) => `released-claim/${pod.metadata.namespace ?? ''}/${name}`)
    },
    reconcilers: {
      'released-claim': async (place) => {
        const [namespace = '', name = ''] = place.split('/')
        const claim = await findObject<PersistentVolumeClaim>(collections, {
          resource: 'persistentvolumeclaims',
          namespace,
          name,
        })
        if (claim === undefined || !isDeletionCandidate(claim, claimFinalizer)) return true
        if (!isDue(claim, registry().now())) return false
        if (isUsedIn(namespace, claim)) return true
        return removeFinalizer(collections, { resource: 'persistentvolumeclaims' }, claim, claimFinalizer)
      },
    },
  }
}
