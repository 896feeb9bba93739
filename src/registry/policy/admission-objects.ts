/** Reads the webhook configurations, admission policies and bindings from the control object's store. */
import type { AdmissionObjects } from '../../clusters/admission-configuration.ts'
import type { Store } from '../../storage/store.ts'
import { listUnder } from '../list/all.ts'

const prefixes: { readonly [List in keyof AdmissionObjects]: string } = {
  mutatingWebhooks: 'mutatingwebhookconfigurations.admissionregistration.k8s.io/',
  validatingWebhooks: 'validatingwebhookconfigurations.admissionregistration.k8s.io/',
  mutatingPolicies: 'mutatingadmissionpolicies.admissionregistration.k8s.io/',
  mutatingBindings: 'mutatingadmissionpolicybindings.admissionregistration.k8s.io/',
  validatingPolicies: 'validatingadmissionpolicies.admissionregistration.k8s.io/',
  validatingBindings: 'validatingadmissionpolicybindings.admissionregistration.k8s.io/',
}

/** The key prefixes of all objects that configure admission. */
export const admissionPrefixes: readonly string[] = Object.values(prefixes)

/** Returns all objects that configure admission; undefined if there are no objects. */
export function readAdmissionObjects(store: Store): AdmissionObjects | undefined {
  const lists = Object.entries(prefixes).map(([list, prefix]) => [list, [...listUnder(store, prefix)]] as const)
  if (lists.every(([, objects]) => objects.length === 0)) return undefined
  return Object.fromEntries(lists) as unknown as AdmissionObjects
}
