/** The admission plugin NodeDeclaredFeatureValidator: a resize may need features that the Pod's node declares. */
import type { Pod } from '../../../catalog/generated/types/core.v1.ts'
import { isSame } from '../../../catalog/validation/checks.ts'
import { goQuote } from '../../../go/text.ts'
import { type AdmissionPlugin, admissionForbidden } from '../plugin.ts'
import { nodeOf, resizeHandler } from './resized-pod.ts'

/** The features that a resize may need, in the order of their names, and whether it needs them. */
const needs: readonly (readonly [feature: string, isNeeded: (pod: Pod, old: Pod) => boolean])[] = [
  ['InPlacePodLevelResourcesVerticalScaling', ({ spec }, old) => !isSame(spec.resources, old.spec.resources)],
  [
    'InPlacePodVerticalScalingInitContainers',
    ({ spec }, old) =>
      (old.spec.initContainers ?? []).some(
        ({ restartPolicy, resources }, index) =>
          restartPolicy !== 'Always' && !isSame(resources, spec.initContainers?.[index]?.resources),
      ),
  ],
]

/** Validates an UPDATE of /resize. Other updates cannot change such fields. Follows the plugin of k8s.io/kubernetes. */
export const nodeDeclaredFeatureValidator: AdmissionPlugin = {
  name: 'NodeDeclaredFeatureValidator',
  handlers: [
    resizeHandler((resize) => {
      const { attributes, pod, old } = resize
      const needed = needs.filter(([, isNeeded]) => isNeeded(pod, old)).map(([feature]) => feature)
      if (needed.length === 0) return
      const { declaredFeatures = [] } = nodeOf(resize)
      const missing = needed.filter((feature) => !declaredFeatures.includes(feature))
      if (missing.length === 0) return
      const node = goQuote(pod.spec.nodeName ?? '')
      const why = `pod update requires features ${missing.join(', ')} which are not available on node ${node}`
      throw admissionForbidden(attributes, pod, why)
    }),
  ],
}
