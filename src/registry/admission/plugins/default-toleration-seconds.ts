/**
 * The admission plugin DefaultTolerationSeconds: Pods tolerate nodes that are not ready or unreachable, for five minutes
 * unless the settings give another time.
 */
import type { Pod, Toleration } from '../../../catalog/generated/types/core.v1.ts'
import type { AdmissionHandler, AdmissionPlugin } from '../plugin.ts'

const notReady = 'node.kubernetes.io/not-ready'
const unreachable = 'node.kubernetes.io/unreachable'

function tolerates(toleration: Toleration, key: string): boolean {
  const { key: own = '', effect = '' } = toleration
  return (own === key || own === '') && (effect === 'NoExecute' || effect === '')
}

const addTolerations: NonNullable<AdmissionHandler['admit']> = (_attributes, object, _old, { settings }) => {
  const { spec } = object as Pod
  const tolerations = spec.tolerations ?? []
  const missing = [notReady, unreachable].filter((key) => !tolerations.some((toleration) => tolerates(toleration, key)))
  if (missing.length === 0) return
  const { notReadyTolerationSeconds, unreachableTolerationSeconds } = settings
  const secondsOf = (key: string): number => (key === notReady ? notReadyTolerationSeconds : unreachableTolerationSeconds)
  spec.tolerations = [
    ...tolerations,
    ...missing.map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: secondsOf(key) })),
  ]
}

/** Adds tolerations on a CREATE and an UPDATE of a Pod, unless it has them. Follows the plugin of k8s.io/kubernetes. */
export const defaultTolerationSeconds: AdmissionPlugin = {
  name: 'DefaultTolerationSeconds',
  handlers: [{ operations: ['CREATE', 'UPDATE'], resources: ['pods'], admit: addTolerations }],
}
