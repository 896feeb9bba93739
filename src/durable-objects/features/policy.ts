import type { ResourceConfig } from '../../catalog/resource-config.ts'
import { shared } from '../../clusters/admission-configuration.ts'
import type { ControlProtocol } from '../../clusters/control-protocol.ts'
import { resourceConfigOfText } from '../../config/emulation.ts'
import type { BootstrapMarker } from '../../controllers/bootstrap/marker.ts'
import type { Kernel } from '../../controllers/kernel.ts'
import { withOwnFacts } from '../../controllers/own-facts.ts'
import type { PolicyParts } from '../../controllers/policy-parts.ts'
import type { KnownAccounts } from '../../controllers/service-account/known-accounts.ts'
import { phaseForCreate } from '../../registry/policy/namespaces.ts'
import type { Registry } from '../../registry/registry.ts'
import type { ControlAnswers } from '../control-answers.ts'
import type { FeatureOf } from './feature-handlers.ts'

/** Returns the policy of a cluster as the verbs of its control object use it. */
function policyServices(
  { placement, client, writesOf, registry }: Kernel,
  policyParts: PolicyParts,
  resourceConfig: () => ResourceConfig,
): Partial<Registry> {
  const admission = () => shared(policyParts.admission)
  return {
    resourceConfig,
    rbac: () => policyParts.rbac,
    namespacePhase: ({ namespace, transaction }) => phaseForCreate(transaction, registry.admissionSettings, namespace),
    admissionConfiguration: admission,
    currentAdmission: admission,
    ...(placement === 'one-object' && { withOwnFacts: (missing) => withOwnFacts(client, writesOf, missing) }),
  }
}

/** The parts of the policy of a cluster. */
export interface PolicyOfCluster {
  readonly answers: ControlAnswers
  readonly policyParts: PolicyParts
  readonly bootstrapMarker: BootstrapMarker
  readonly accounts: KnownAccounts
  /** Returns the release and the switched resources, as one text. */
  readonly emulation: () => string
}

/** The policy of the cluster: what decides about requests for other objects. */
export const policy = (
  kernel: Kernel,
  { answers, policyParts, bootstrapMarker, accounts, emulation }: PolicyOfCluster,
): FeatureOf<ControlProtocol, 'policy' | 'admission' | 'definition' | 'health' | 'accountsDeleted'> => ({
  registry: policyServices(kernel, policyParts, () => resourceConfigOfText(emulation())),
  applied: (keys) => {
    bootstrapMarker.changed(keys)
    policyParts.changed(keys)
  },
  handlers: {
    policy: (question, request) => answers.policy(question, request),
    admission: () => answers.admission(),
    definition: (which) => answers.definition(which),
    health: () => answers.health(),
    accountsDeleted: () => accounts.forget(),
  },
})
