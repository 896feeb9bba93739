/** Reads the APIServices of other servers from the control object's store. */
import type { APIService } from '../../catalog/generated/types/apiregistration.v1.ts'
import type { ApiService, ApiServiceDocuments, ApiServices } from '../../clusters/api-services.ts'
import type { Store } from '../../storage/store.ts'
import { listUnder } from '../list/all.ts'

/** The key prefix of APIServices. */
export const apiServicePrefix = 'apiservices.apiregistration.k8s.io/'

/** The APIService of the legacy core group, which cannot be served by another server here. */
const coreService = 'v1.'

/** Whether the condition Available is true. */
export const isAvailable = ({ status }: APIService): boolean =>
  (status?.conditions ?? []).some(({ type, status: value }) => type === 'Available' && value === 'True')

/** Returns the facts of an APIService; undefined for a local one. */
export function remoteApiService(object: APIService): ApiService | undefined {
  const { spec, metadata } = object
  if (spec.service === undefined || metadata.name === coreService) return undefined
  const { namespace = '', name = '', port = 443 } = spec.service
  return {
    group: spec.group ?? '',
    version: spec.version ?? '',
    groupPriority: spec.groupPriorityMinimum,
    versionPriority: spec.versionPriority,
    service: { namespace, name, port },
    caBundle: spec.caBundle ?? '',
    isInsecure: spec.insecureSkipTLSVerify === true,
    isAvailable: isAvailable(object),
  }
}

/**
 * Returns all APIServices of other servers.
 * @param documentsOf returns the documents of a server that were read last, by the APIService's name
 */
export function readApiServices(store: Store, documentsOf: (name: string) => ApiServiceDocuments): ApiServices {
  const found: Record<string, ApiService> = {}
  for (const object of listUnder(store, apiServicePrefix)) {
    const { name = '' } = object.metadata
    const service = remoteApiService(object as APIService)
    if (service !== undefined) found[name] = { ...service, ...documentsOf(name) }
  }
  return found
}
