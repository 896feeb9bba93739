/** The controllers, in the order in which they start. */
import { apiServiceAvailability } from './api-service-availability/wiring.ts'
import { apiServiceRegistration } from './api-service-registration/wiring.ts'
import { clusters } from './cluster/wiring.ts'
import { clusterAuthentication } from './cluster-authentication/wiring.ts'
import { clusterRoleAggregation } from './cluster-role-aggregation/wiring.ts'
import type { ControlContext } from './control-context.ts'
import type { Controller } from './controller.ts'
import { deletedDefinitions } from './crd/deletion.ts'
import { changedDefinitions } from './crd/wiring.ts'
import { flowSchemaStatus } from './flow-schema-status/wiring.ts'
import { copiedCollections, forkProgress } from './fork/wiring.ts'
import type { Kernel } from './kernel.ts'
import { kubernetesService } from './kubernetes-service/wiring.ts'
import { namespaces } from './namespace/wiring.ts'
import { defaultObjects } from './service-account/default-objects.ts'
import { deletionReports } from './service-account/deletion-reports.ts'
import { rootCertificates } from './service-account/root-certificate.ts'
import { deletedAccounts } from './service-account/wiring.ts'
import { serviceAddresses } from './service-addresses/wiring.ts'
import { serviceEndpoints } from './service-endpoints/wiring.ts'
import { storageVersionMigrator } from './storage-version-migrator/wiring.ts'
import { tokenSecrets } from './token-secrets/wiring.ts'
import { validatingPolicyStatus } from './validating-admission-policy-status/wiring.ts'
import { deletedClaims, deletedVolumes, releasedClaimsOfPods } from './volume-protection/wiring.ts'

/** The controllers that run in the control object of a cluster. */
export const controlControllers: readonly Controller<ControlContext>[] = [
  apiServiceAvailability,
  apiServiceRegistration,
  changedDefinitions,
  clusterRoleAggregation,
  defaultObjects,
  deletedDefinitions,
  flowSchemaStatus,
  forkProgress,
  namespaces,
  storageVersionMigrator,
  validatingPolicyStatus,
]

/** The controllers that run beside the collections whose objects they watch. */
export const collectionControllers: readonly Controller<Kernel>[] = [
  clusterAuthentication,
  clusters,
  copiedCollections,
  deletedAccounts,
  deletedClaims,
  deletedVolumes,
  deletionReports,
  ...kubernetesService,
  releasedClaimsOfPods,
  rootCertificates,
  serviceAddresses,
  serviceEndpoints,
  tokenSecrets,
]
