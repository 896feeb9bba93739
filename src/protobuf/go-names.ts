/**
 * The Go names of fields, for errors about protobuf bodies. Nearly all are the JSON name with a capital; these tables contain the
 * others. Follows the generated.pb.go files of k8s.io/api v0.36.3.
 */

/** Words at the beginning of a name with an irregular capitalisation. */
const beginnings: Readonly<Record<string, string>> = {
  api: 'API',
  aws: 'AWS',
  ca: 'CA',
  ceph: 'Ceph',
  dns: 'DNS',
  fs: 'FS',
  gce: 'GCE',
  gmsa: 'GMSA',
  http: 'HTTP',
  ip: 'IP',
  iscsi: 'ISCSI',
  os: 'OS',
  qos: 'QOS',
  se: 'SE',
  ssl: 'SSL',
  tcp: 'TCP',
  ttl: 'TTL',
}

/** Irregular names, in any struct. */
const irregular: Readonly<Record<string, string>> = {
  $ref: 'Ref',
  $schema: 'Schema',
  caBundle: 'CABundle',
  cel: 'CEL',
  cephfs: 'CephFS',
  chapAuthDiscovery: 'DiscoveryCHAPAuth',
  chapAuthSession: 'SessionCHAPAuth',
  cidr: 'CIDR',
  cidrs: 'CIDRs',
  csi: 'CSI',
  diskURI: 'DataDiskURI',
  externalID: 'DoNotUseExternalID',
  fc: 'FC',
  gid: 'GID',
  grpc: 'GRPC',
  id: 'ID',
  ips: 'IPs',
  iqn: 'IQN',
  jSONSchemas: 'JSONSchemas',
  jsonPatch: 'JSONPatch',
  jsonPath: 'JSONPath',
  lastState: 'LastTerminationState',
  nfs: 'NFS',
  pdName: 'PDName',
  rbd: 'RBD',
  reportingComponent: 'ReportingController',
  storageos: 'StorageOS',
  tls: 'TLS',
  tty: 'TTY',
  uid: 'UID',
  url: 'URL',
  wwids: 'WWIDs',
  'x-kubernetes-embedded-resource': 'XEmbeddedResource',
  'x-kubernetes-int-or-string': 'XIntOrString',
  'x-kubernetes-list-map-keys': 'XListMapKeys',
  'x-kubernetes-list-type': 'XListType',
  'x-kubernetes-map-type': 'XMapType',
  'x-kubernetes-preserve-unknown-fields': 'XPreserveUnknownFields',
  'x-kubernetes-validations': 'XValidations',
}

const deviceAttribute: Readonly<Record<string, string>> = {
  bool: 'BoolValue',
  bools: 'BoolValues',
  int: 'IntValue',
  ints: 'IntValues',
  string: 'StringValue',
  strings: 'StringValues',
  version: 'VersionValue',
  versions: 'VersionValues',
}

const rbd: Readonly<Record<string, string>> = { image: 'RBDImage', monitors: 'CephMonitors', pool: 'RBDPool', user: 'RadosUser' }

const glusterfs: Readonly<Record<string, string>> = { endpoints: 'EndpointsName' }

/** Irregular names of one struct only. */
const ofStruct: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  APIResourceList: { resources: 'APIResources' },
  DeviceAttribute: deviceAttribute,
  GlusterfsPersistentVolumeSource: glusterfs,
  GlusterfsVolumeSource: glusterfs,
  PodSpec: { serviceAccount: 'DeprecatedServiceAccount' },
  Quantity: { string: 'String_' },
  RBDPersistentVolumeSource: rbd,
  RBDVolumeSource: rbd,
  StatusCause: { reason: 'Type' },
}

/** The embedded structs, by the name of the outer struct. All other structs with an embedded one embed LocalObjectReference. */
const embedded: Readonly<Record<string, string>> = {
  DeviceAllocationConfiguration: 'DeviceConfiguration',
  DeviceClaimConfiguration: 'DeviceConfiguration',
  DeviceClassConfiguration: 'DeviceConfiguration',
  EphemeralContainer: 'EphemeralContainerCommon',
  IngressRule: 'IngressRuleValue',
  NamedRuleWithOperations: 'RuleWithOperations',
  PersistentVolumeSpec: 'PersistentVolumeSource',
  Probe: 'ProbeHandler',
  RuleWithOperations: 'Rule',
  Volume: 'VolumeSource',
}

const beginning = /^[a-z]+/

const own = (names: Readonly<Record<string, string>> | undefined, name: string): string | undefined =>
  names !== undefined && Object.hasOwn(names, name) ? names[name] : undefined

/** Returns the Go name of a struct's field: `UID` for `uid`. */
export function goFieldName(struct: string, field: string): string {
  if (field === 'metadata') return struct.endsWith('List') || struct === 'Status' ? 'ListMeta' : 'ObjectMeta'
  const special = own(ofStruct[struct], field) ?? own(irregular, field)
  if (special !== undefined) return special
  const word = beginning.exec(field)?.[0] ?? ''
  const capitals = own(beginnings, word)
  return capitals === undefined ? field.charAt(0).toUpperCase() + field.slice(1) : capitals + field.slice(word.length)
}

/** Returns the name of the struct that is embedded in this one. */
export function embeddedName(struct: string): string {
  return embedded[struct] ?? 'LocalObjectReference'
}
