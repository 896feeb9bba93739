/**
 * The selfLink of a request. Follows APIObjectVersioner.PrepareObjectForStorage of k8s.io/apiserver, which drops it only when an
 * object is stored: policies and webhooks see it, and a dry run returns it.
 *
 * Recorded: meta-self-link, vap-self-link.
 */
import type { WriteOptions } from '../../clusters/operation.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'

/** Removes the selfLink of an object that is about to be stored. */
export function dropSelfLink({ metadata }: KubernetesObject, { dryRun }: Pick<WriteOptions, 'dryRun'>): void {
  if (!dryRun) delete metadata.selfLink
}
