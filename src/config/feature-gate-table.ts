/** The feature gates of release 1.36, as kube-apiserver lists them in its help and in kubernetes_feature_enabled. */

/** The stage of a gate: '' if its feature is generally available. */
export type FeatureStage = 'ALPHA' | 'BETA' | '' | 'DEPRECATED'

/** A gate. */
export interface GateFacts {
  readonly stage: FeatureStage
  readonly isDefault: boolean
  /** Whether the gate cannot be set to another value. */
  readonly isLocked: boolean
}

const groups: readonly (GateFacts & { readonly names: string })[] = [
  {
    stage: 'ALPHA',
    isDefault: false,
    isLocked: false,
    names: `
      APIServingWithRoutine AllAlpha AllowUnsafeMalformedObjectDeletion CBORServingAndStorage CPUManagerPolicyAlphaOptions
      CRIListStreaming CSIVolumeHealth ClientsAllowCBOR ClientsPreferCBOR CloudControllerManagerWatchBasedRoutesReconciliation
      CloudControllerManagerWebhook ContainerStopSignals ControllerManagerReleaseLeaderElectionLockOnExit
      CrossNamespaceVolumeDataSource DRAListTypeAttributes DRANodeAllocatableResources DRAResourcePoolStatus
      DRAWorkloadResourceClaims EventedPLEG GangScheduling GenericWorkload HPAScaleToZero ImageVolumeWithDigest
      InPlacePodVerticalScalingExclusiveCPUs InPlacePodVerticalScalingExclusiveMemory KubeletInUserNamespace
      LoggingAlphaOptions ManifestBasedAdmissionControlConfig MemoryQoS MutablePVNodeAffinity NativeHistograms
      PersistentVolumeClaimUnusedSinceTime PodAndContainerStatsFromCRI PodLevelResourceManagers PodLogsQuerySplitStreams
      PodsAPI QOSReserved ReduceDefaultCrashLoopBackOffDecay RuntimeClassInImageCriApi ShardedListAndWatch
      StorageCapacityScoring StorageVersionAPI TaintTolerationComparisonOperators TopologyAwareWorkloadScheduling
      TopologyManagerPolicyAlphaOptions UserNamespacesHostNetworkSupport VolumeLimitScaling WindowsCPUAndMemoryAffinity
      WorkloadAwarePreemption WorkloadWithJob
    `,
  },
  {
    stage: 'BETA',
    isDefault: true,
    isLocked: false,
    names: `
      APIResponseCompression APIServerIdentity AllowParsingUserUIDFromCertAuth AtomicFIFO
      AuthorizePodWebsocketUpgradeCreatePermission CPUManagerPolicyBetaOptions CRDObservedGenerationTracking
      ClearingNominatedNodeNameAfterBinding ClientsAllowCARotation ClientsAllowTLSCacheGC ComponentFlagz ComponentStatusz
      ConstrainedImpersonation ContainerCheckpoint ContainerRestartRules ContextualLogging DRAConsumableCapacity
      DRADeviceBindingConditions DRADeviceTaints DRAExtendedResource DRAPartitionableDevices DRAResourceClaimDeviceStatus
      DRAResourceClaimGranularStatusAuthorization DRASchedulerFilterTimeout DeclarativeValidationBeta
      DeploymentReplicaSetTerminatingReplicas DetectCacheInconsistency EnvFiles ExtendWebSocketsToKubelet GracefulNodeShutdown
      GracefulNodeShutdownBasedOnPodPriority HPAConfigurableTolerance HostnameOverride InOrderInformersBatchProcess
      InPlacePodLevelResourcesVerticalScaling InPlacePodVerticalScalingInitContainers KubeletCrashLoopBackOffMax
      KubeletEnsureSecretPulledImages KubeletSeparateDiskGC KubeletServiceAccountTokenForCredentialProviders
      ListFromCacheSnapshot LoggingBetaOptions MatchLabelKeysInPodTopologySpread
      MatchLabelKeysInPodTopologySpreadSelectorMerge MutablePodResourcesForSuspendedJobs
      MutableSchedulingDirectivesForSuspendedJobs NodeDeclaredFeatures NominatedNodeNameForExpectation OpenAPIEnums
      OpportunisticBatching PLEGOnDemandRelist PodDeletionCost PodLevelResources PodReadyToStartContainersCondition
      PodTopologyLabelsAdmission PortForwardWebsockets PreventStaticPodAPIReferences RelaxedServiceNameValidation
      ReloadKubeletClientCAFile ReloadKubeletServerCertificateFile RemoteRequestHeaderUID ResourceHealthStatus
      ResourceHealthStatusMessage RestartAllContainersOnContainerExits RotateKubeletServerCertificate SchedulerAsyncPreemption
      SchedulerPopFromBackoffQ ServiceAccountNodeAudienceRestriction SizeBasedListCostEstimate
      StaleControllerConsistencyDaemonSet StaleControllerConsistencyJob StaleControllerConsistencyReplicaSet
      StaleControllerConsistencyStatefulSet StatefulSetSemanticRevisionComparison StorageVersionHash StrictIPCIDRValidation
      StructuredAuthenticationConfigurationEgressSelector StructuredAuthenticationConfigurationJWKSMetrics
      TokenRequestServiceAccountUIDValidation TopologyManagerPolicyBetaOptions TranslateStreamCloseWebsocketRequests
      UnauthenticatedHTTP2DOSMitigation UnknownVersionInteroperabilityProxy UnlockWhileProcessingFIFO
      WatchCacheInitializationPostStartHook WatchList WatchListClient WindowsGracefulNodeShutdown
    `,
  },
  {
    stage: 'BETA',
    isDefault: false,
    isLocked: false,
    names: `
      AllBeta ClusterTrustBundle ClusterTrustBundleProjection ConcurrentWatchObjectDecode CoordinatedLeaderElection
      DRADeviceTaintRules LocalStorageCapacityIsolationFSQuotaMonitoring MaxUnavailableStatefulSet PodCertificateRequest
      SELinuxMount SchedulerAsyncAPICalls StorageVersionMigrator
    `,
  },
  {
    stage: '',
    isDefault: true,
    isLocked: false,
    names: `
      AllowServiceExternalIPs CustomCPUCFSQuotaPeriod DRAPrioritizedList InformerResourceVersion MutatingAdmissionPolicy
    `,
  },
  {
    stage: '',
    isDefault: true,
    isLocked: true,
    names: `
      APIServerTracing AnonymousAuthConfigurableEndpoints AnyVolumeDataSource AuthorizeNodeWithSelectors
      AuthorizeWithSelectors BtreeWatchCache CPUManagerPolicyOptions CRDValidationRatcheting CSIServiceAccountTokenSecrets
      ConsistentListFromCache CustomResourceFieldSelectors DRAAdminAccess DeclarativeValidation DisableAllocatorDualWrite
      DynamicResourceAllocation ExecProbeTimeout ExternalServiceAccountTokenSigner ImageMaximumGCAge ImageVolume
      InOrderInformers InPlacePodVerticalScaling JobBackoffLimitPerIndex JobManagedBy JobPodReplacementPolicy JobSuccessPolicy
      KubeletCgroupDriverFromCRI KubeletFineGrainedAuthz KubeletPSI KubeletPodResourcesDynamicResources KubeletPodResourcesGet
      KubeletTracing LogarithmicScaleDown MatchLabelKeysInPodAffinity MultiCIDRServiceAllocator MutableCSINodeAllocatableCount
      NFTablesProxyMode NodeInclusionPolicyInPodTopologySpread NodeLogQuery NodeSwap OrderedNamespaceDeletion
      PodLifecycleSleepAction PodLifecycleSleepActionAllowZero PodObservedGenerationTracking PodSchedulingReadiness
      PreferSameTrafficDistribution ProcMountType RecoverVolumeExpansionFailure RecursiveReadOnlyMounts
      RelaxedDNSSearchValidation RelaxedEnvironmentVariableValidation ResilientWatchCacheInitialization RetryGenerateName
      SELinuxChangePolicy SELinuxMountReadWriteOncePod SchedulerQueueingHints SeparateTaintEvictionController
      ServiceAccountTokenJTI ServiceAccountTokenNodeBinding ServiceAccountTokenNodeBindingValidation
      ServiceAccountTokenPodNodeInfo SidecarContainers StreamingCollectionEncodingToJSON StreamingCollectionEncodingToProtobuf
      StructuredAuthenticationConfiguration SupplementalGroupsPolicy SystemdWatchdog TopologyManagerPolicyOptions
      UserNamespacesSupport VolumeAttributesClass WinDSR WinOverlay
    `,
  },
  {
    stage: 'DEPRECATED',
    isDefault: true,
    isLocked: false,
    names: `
      DisableCPUQuotaWithExclusiveCPUs KubeletPodResourcesListUseActivePods ServiceCIDRStatusFieldWiping StorageNamespaceIndex
    `,
  },
  {
    stage: 'DEPRECATED',
    isDefault: true,
    isLocked: true,
    names: `
      AggregatedDiscoveryRemoveBetaType DisableNodeKubeProxyVersion
    `,
  },
  {
    stage: 'DEPRECATED',
    isDefault: false,
    isLocked: false,
    names: `
      AllowDNSOnlyNodeCSR AllowInsecureKubeletCertificateSigningRequests ChangeContainerStatusOnKubeletRestart
      DeclarativeValidationTakeover KMSv1 KubeletRegistrationGetOnExistsOnly WindowsHostNetwork
    `,
  },
  {
    stage: 'DEPRECATED',
    isDefault: false,
    isLocked: true,
    names: `
      AllowOverwriteTerminationGracePeriodSeconds GitRepoVolumeDriver SeparateCacheWatchRPC
    `,
  },
]

/** The gates by name. */
export const featureGates: ReadonlyMap<string, GateFacts> = new Map(
  groups.flatMap(({ names, ...facts }) =>
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, facts] as const),
  ),
)

/** The gates that must be enabled for another one to be enabled. */
export const gateDependencies: Readonly<Record<string, readonly string[]>> = {
  AuthorizeNodeWithSelectors: ['AuthorizeWithSelectors'],
  ClusterTrustBundleProjection: ['ClusterTrustBundle'],
  DRAAdminAccess: ['DynamicResourceAllocation'],
  DRAConsumableCapacity: ['DynamicResourceAllocation'],
  DRADeviceBindingConditions: ['DynamicResourceAllocation', 'DRAResourceClaimDeviceStatus'],
  DRADeviceTaintRules: ['DRADeviceTaints'],
  DRADeviceTaints: ['DynamicResourceAllocation'],
  DRAExtendedResource: ['DynamicResourceAllocation'],
  DRAListTypeAttributes: ['DynamicResourceAllocation'],
  DRANodeAllocatableResources: ['DynamicResourceAllocation'],
  DRAPartitionableDevices: ['DynamicResourceAllocation'],
  DRAPrioritizedList: ['DynamicResourceAllocation'],
  DRAResourceClaimGranularStatusAuthorization: ['DynamicResourceAllocation', 'DRAResourceClaimDeviceStatus'],
  DRAResourcePoolStatus: ['DynamicResourceAllocation'],
  DRASchedulerFilterTimeout: ['DynamicResourceAllocation'],
  DRAWorkloadResourceClaims: ['DynamicResourceAllocation', 'GenericWorkload'],
  DeclarativeValidationBeta: ['DeclarativeValidation'],
  DeclarativeValidationTakeover: ['DeclarativeValidation'],
  DisableAllocatorDualWrite: ['MultiCIDRServiceAllocator'],
  ExtendWebSocketsToKubelet: ['NodeDeclaredFeatures'],
  GangScheduling: ['GenericWorkload'],
  GracefulNodeShutdownBasedOnPodPriority: ['GracefulNodeShutdown'],
  ImageVolumeWithDigest: ['ImageVolume'],
  InPlacePodLevelResourcesVerticalScaling: ['InPlacePodVerticalScaling', 'PodLevelResources', 'NodeDeclaredFeatures'],
  InPlacePodVerticalScalingExclusiveCPUs: ['InPlacePodVerticalScaling'],
  InPlacePodVerticalScalingExclusiveMemory: ['InPlacePodVerticalScaling'],
  InPlacePodVerticalScalingInitContainers: ['InPlacePodVerticalScaling', 'NodeDeclaredFeatures'],
  MatchLabelKeysInPodTopologySpreadSelectorMerge: ['MatchLabelKeysInPodTopologySpread'],
  PodCertificateRequest: ['AuthorizeNodeWithSelectors'],
  PodLevelResourceManagers: ['PodLevelResources'],
  PodLifecycleSleepActionAllowZero: ['PodLifecycleSleepAction'],
  ProcMountType: ['UserNamespacesSupport'],
  ResourceHealthStatus: ['DynamicResourceAllocation'],
  ResourceHealthStatusMessage: ['ResourceHealthStatus'],
  RestartAllContainersOnContainerExits: ['ContainerRestartRules', 'NodeDeclaredFeatures'],
  ServiceAccountTokenNodeBinding: ['ServiceAccountTokenNodeBindingValidation'],
  StaleControllerConsistencyDaemonSet: ['AtomicFIFO'],
  StaleControllerConsistencyJob: ['AtomicFIFO'],
  StaleControllerConsistencyReplicaSet: ['AtomicFIFO'],
  StaleControllerConsistencyStatefulSet: ['AtomicFIFO'],
  StorageVersionAPI: ['APIServerIdentity'],
  StructuredAuthenticationConfigurationEgressSelector: ['StructuredAuthenticationConfiguration'],
  StructuredAuthenticationConfigurationJWKSMetrics: ['StructuredAuthenticationConfiguration'],
  TopologyAwareWorkloadScheduling: ['GenericWorkload'],
  UnknownVersionInteroperabilityProxy: ['APIServerIdentity'],
  UserNamespacesHostNetworkSupport: ['UserNamespacesSupport', 'NodeDeclaredFeatures'],
  WindowsGracefulNodeShutdown: ['GracefulNodeShutdown'],
  WorkloadAwarePreemption: ['GangScheduling'],
  WorkloadWithJob: ['GenericWorkload'],
}
