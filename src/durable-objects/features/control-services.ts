import type { ControlProtocol } from '../../clusters/control-protocol.ts'
import { prefixOfCollection } from '../../clusters/placement.ts'
import type { CollectionRegistration, RegistrationAnswer } from '../../clusters/registration-messages.ts'
import type { ApiServiceAvailability } from '../../controllers/api-service-availability/availability.ts'
import { countUnavailable } from '../../controllers/api-service-availability/metrics.ts'
import type { Kernel } from '../../controllers/kernel.ts'
import type { QuotaController } from '../../controllers/resource-quota/wiring.ts'
import type { TokenSigner } from '../../controllers/token-signer.ts'
import { otherRelease } from '../../meta/errors.ts'
import { phaseForCreate } from '../../registry/policy/namespaces.ts'
import type { ClusterCollections } from '../cluster-collections.ts'
import { RequestRecord } from '../request-record.ts'
import type { FeatureOf } from './feature-handlers.ts'

/** The names of the messages by which a cluster is served. */
type ServiceMessage =
  | 'serviceChanged'
  | 'register'
  | 'signToken'
  | 'tokenKeys'
  | 'reserveQuota'
  | 'releaseQuota'
  | 'recountQuota'
  | 'addDeprecatedRequests'
  | 'deprecatedRequests'

/** The parts of the control object that serve its cluster. */
interface ControlServices {
  readonly quotas: QuotaController
  readonly apiServices: ApiServiceAvailability
  readonly collections: ClusterCollections
  readonly signer: TokenSigner
}

/** The services of the control object for the collections and the Workers of its cluster. */
export function controlServices(
  { ctx, store, metrics, registry }: Kernel,
  { quotas, apiServices, collections, signer }: ControlServices,
): FeatureOf<ControlProtocol, ServiceMessage> {
  const requestRecord = new RequestRecord(ctx.storage)
  /**
   * Registers a collection that is about to hold its first object of a namespace. From the moment at which the namespace is
   * terminating none is registered: the namespace controller asks all that were.
   */
  const register = async (registration: CollectionRegistration): Promise<RegistrationAnswer> => {
    const { group, resource, namespace = '' } = registration
    const phase = phaseForCreate(store, registry.admissionSettings, namespace)
    if (phase === 'Active' && !(await collections.register(registration))) throw otherRelease()
    return { phase, ...quotas.rangesOf(prefixOfCollection(group, resource)) }
  }
  return {
    changed: (event) => countUnavailable(metrics.samples, event),
    handlers: {
      serviceChanged: (service) => apiServices.serviceChanged(service),
      register,
      signToken: (claims) => signer.sign(claims),
      tokenKeys: () => signer.published(),
      reserveQuota: (message) => quotas.reserve(message),
      releaseQuota: (reservation) => quotas.release(reservation),
      recountQuota: (ranges) => quotas.recount(ranges),
      addDeprecatedRequests: (requests) => requestRecord.add(requests, Date.now()),
      deprecatedRequests: () => requestRecord.entries(),
    },
  }
}
