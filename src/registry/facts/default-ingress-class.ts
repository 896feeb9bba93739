/** The name of the newest IngressClass that is marked as the default; null if no class is marked. */
import { findDefault } from './default-class.ts'
import { defineFact } from './fact.ts'

const annotations = ['ingressclass.kubernetes.io/is-default-class']

export const defaultIngressClass = defineFact<Record<string, never>, string | null>({
  name: 'defaultIngressClass',
  keyOf: () => 'defaultIngressClass',
  collection: 'ingressclasses.networking.k8s.io',
  absent: null,
  read: (collections) => findDefault(collections, { group: 'networking.k8s.io', resource: 'ingressclasses' }, annotations),
})
