/** Removes the finalizers of deleted volumes and claims that are not in use. */
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../../catalog/generated/types/core.v1.ts'
import { kindOf } from '../../catalog/scheme.ts'
import type { CollectionClient } from '../../clusters/collection-client.ts'
import { findObject, listObjects, type ReadTarget } from '../../clusters/read-object.ts'
import { ApiError } from '../../meta/errors.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { listUnder } from '../../registry/list/all.ts'
import { objectOf } from '../../registry/stored-object.ts'
import type { Stored, StoreEvent } from '../../storage/store.ts'
import type { Controller, Drain, Outcome } from '../controller.ts'
import type { Kernel } from '../kernel.ts'
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
 * @returns later if it was changed
 */
async function removeFinalizer(
  collections: CollectionClient,
  place: Pick<ReadTarget, 'resource'>,
  object: KubernetesObject,
  finalizer: string,
): Promise<Outcome> {
  const { resource } = place
  const kind = kindOf('', 'v1', resource)
  if (kind === undefined) throw new Error(`no kind for ${resource}`)
  const { namespace = '', name = '' } = object.metadata
  const target = { group: '', version: 'v1', resource, subresource: '', namespace, name }
  try {
    const operation = { verb: 'update', target, write: { manager, dryRun: false } } as const
    await collections.performWithoutAnswer(kind, operation, JSON.stringify(withoutFinalizer(object, finalizer)))
    return 'done'
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) return 'done'
    if (error instanceof ApiError && error.code === 409) return 'later'
    throw error
  }
}

/** Whether the stored text may be an object in deletion; an annotation may contain the same text. */
const mayBeDeleted = ({ value }: Stored): boolean => value.includes('"deletionTimestamp":')

const isDeletedWith = (finalizer: string, { type, object }: StoreEvent): boolean =>
  type !== 'DELETED' && mayBeDeleted(object) && isDeletionCandidate(objectOf(object), finalizer)

/** Removes the finalizers of deleted PersistentVolumes. */
export const deletedVolumes: Controller<Kernel> = {
  name: 'deleted-volume',
  enabledBy: ['persistentvolume-protection-controller'],
  rows: 'outbox/deleted-volume/',
  at: { group: '', resource: 'persistentvolumes' },
  open: ({ client, registry, store }) => ({
    keys: (event) => (isDeletedWith(volumeFinalizer, event) ? [event.object.key] : []),
    reconcile: async (key) => {
      const stored = store.get(key)
      const volume = stored && (objectOf(stored) as PersistentVolume)
      if (volume === undefined || !isDeletionCandidate(volume, volumeFinalizer) || isVolumeInUse(volume)) return 'done'
      if (!isDue(volume, registry.now())) return 'later'
      return removeFinalizer(client, { resource: 'persistentvolumes' }, volume, volumeFinalizer)
    },
  }),
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

/** Removes the finalizers of deleted PersistentVolumeClaims. */
export const deletedClaims: Controller<Kernel> = {
  name: 'deleted-claim',
  enabledBy: ['persistentvolumeclaim-protection-controller'],
  rows: 'outbox/deleted-claim/',
  at: { group: '', resource: 'persistentvolumeclaims' },
  open: ({ client, registry, store }) => {
    const shared = new WeakMap<Drain, ClaimUses>()
    return {
      keys: (event) => (isDeletedWith(claimFinalizer, event) ? [event.object.key] : []),
      reconcile: async (key, drain) => {
        const stored = store.get(key)
        const claim = stored && (objectOf(stored) as PersistentVolumeClaim)
        if (claim === undefined || !isDeletionCandidate(claim, claimFinalizer)) return 'done'
        if (!isDue(claim, registry.now())) return 'later'
        const uses = shared.get(drain) ?? new ClaimUses(client)
        shared.set(drain, uses)
        if ((await uses.in(claim.metadata.namespace ?? '')).some((use) => isUsed(claim, use))) return 'done'
        return removeFinalizer(client, { resource: 'persistentvolumeclaims' }, claim, claimFinalizer)
      },
    }
  },
}

/** Whether the stored text may be a Pod that uses claims. */
const mayUseClaims = ({ value }: Stored): boolean => value.includes('"persistentVolumeClaim":') || value.includes('"ephemeral":')

/** Reacts to the end of a Pod, which may make a deleted claim free. */
export const releasedClaimsOfPods: Controller<Kernel> = {
  name: 'released-claim',
  enabledBy: ['persistentvolumeclaim-protection-controller'],
  rows: 'outbox/released-claim/',
  at: { group: '', resource: 'pods' },
  open: ({ client, registry, store }) => {
    const isUsedIn = (namespace: string, claim: PersistentVolumeClaim): boolean => {
      for (const pod of listUnder(store, `pods/${namespace}/`)) {
        if (usesOf(pod as Pod).some((use) => isUsed(claim, use))) return true
      }
      return false
    }
    return {
      keys: ({ type, object }) => {
        if (!mayUseClaims(object) || (type !== 'DELETED' && !mayBeDeleted(object))) return []
        const pod = objectOf(object) as Pod
        return releasedClaims(pod, type === 'DELETED').map((name) => `${pod.metadata.namespace ?? ''}/${name}`)
      },
      reconcile: async (place) => {
        const [namespace = '', name = ''] = place.split('/')
        const claim = await findObject<PersistentVolumeClaim>(client, { resource: 'persistentvolumeclaims', namespace, name })
        if (claim === undefined || !isDeletionCandidate(claim, claimFinalizer)) return 'done'
        if (!isDue(claim, registry.now())) return 'later'
        if (isUsedIn(namespace, claim)) return 'done'
        return removeFinalizer(client, { resource: 'persistentvolumeclaims' }, claim, claimFinalizer)
      },
    }
  },
}
