/** Measures decoding, defaulting and validating a Pod with as many fields as possible. */

import { applyKindDefaults } from '../../src/catalog/defaulting/defaults.ts'
import type { Kind } from '../../src/catalog/kind.ts'
import { kindOf } from '../../src/catalog/scheme.ts'
import { parseJson } from '../../src/go/json.ts'
import type { KubernetesObject } from '../../src/meta/object-meta.ts'
import { strategyOf } from '../../src/registry/strategy.ts'
import { decode } from '../../src/schema/decode.ts'
import { fullestOfPods } from '../generated/fullest-pod.ts'

function podKind(): Kind {
  const kind = kindOf('', 'v1', 'pods')
  if (kind === undefined) throw new Error('there are no Pods')
  return kind
}

const kind = podKind()
const text = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'rich', namespace: 'default' },
  ...fullestOfPods.pods,
})

const decoded = (): KubernetesObject => decode(kind.type, parseJson(text, 'verbatim')).object as unknown as KubernetesObject

function defaulted(): KubernetesObject {
  const pod = decoded()
  applyKindDefaults(kind, pod)
  return pod
}

function checked(): number {
  const found = strategyOf(kind).validate?.(defaulted(), kind) ?? []
  if (found.length > 0) throw new Error(`the Pod is not good: ${JSON.stringify(found)}`)
  return found.length
}

const size = `${(text.length / 1000).toFixed(1)} KB`

/** Each case adds one step to the previous one. */
export const podCases: Readonly<Record<string, () => unknown>> = {
  [`parse and decode the fullest Pod, ${size}`]: decoded,
  'parse, decode and default it': defaulted,
  'parse, decode, default and validate it': checked,
}
