/** The admission plugin DefaultIngressClass: an Ingress without a class gets the default one. */
import type { Ingress } from '../../../catalog/generated/types/networking.v1.ts'
import { isObject } from '../../../go/json-object.ts'
import type { JsonValue } from '../../../go/json-value.ts'
import { defaultIngressClass as newestIngressClass } from '../../facts/default-ingress-class.ts'
import type { AdmissionPlugin } from '../plugin.ts'

/** The annotation that named the class before the field did. */
const annotation = 'kubernetes.io/ingress.class'

const lookup = newestIngressClass.lookup({})

/** Whether an Ingress names its class, possibly as ''. */
function hasClass(ingress: JsonValue): boolean {
  const { metadata, spec } = isObject(ingress) ? ingress : {}
  const annotations = isObject(metadata) ? metadata.annotations : undefined
  if (isObject(annotations) && Object.hasOwn(annotations, annotation)) return true
  return isObject(spec) && typeof spec.ingressClassName === 'string'
}

/** Sets the class on a CREATE of an Ingress. Follows the plugin of k8s.io/kubernetes. */
export const defaultIngressClass: AdmissionPlugin = {
  name: 'DefaultIngressClass',
  handlers: [
    {
      operations: ['CREATE'],
      resources: ['ingresses.networking.k8s.io'],
      lookups: (_attributes, object) => (hasClass(object) ? [] : [lookup]),
      admit(_attributes, object, _old, { lookups }) {
        if (hasClass(object as unknown as JsonValue)) return
        const name = lookups.get(lookup)
        if (name !== null) (object as Ingress).spec.ingressClassName = name
      },
    },
  ],
}
