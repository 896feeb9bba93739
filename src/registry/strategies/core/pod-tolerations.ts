/** What the admission plugin DefaultTolerationSeconds does to every Pod. */
import type { PodSpec, Toleration } from '../../../catalog/generated/types/core.v1.ts'

const defaultTolerationSeconds = 300

const unreachable = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']

function tolerates(toleration: Toleration, key: string): boolean {
  const { key: own = '', effect = '' } = toleration
  return (own === key || own === '') && (effect === 'NoExecute' || effect === '')
}

/** A Pod stays for five minutes on a node that is not ready or not reachable, unless it says otherwise. */
export function addTolerations(spec: PodSpec): void {
  const tolerations = spec.tolerations ?? []
  const missing = unreachable.filter((key) => !tolerations.some((toleration) => tolerates(toleration, key)))
  if (missing.length === 0) return
  spec.tolerations = [
    ...tolerations,
    ...missing.map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: defaultTolerationSeconds })),
  ]
}
