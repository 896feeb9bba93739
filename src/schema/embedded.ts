/**
 * The fields of structs that come from an embedded struct. Their JSON is inline, but Go's messages have the embedded struct in
 * the path: `spec.volumes.VolumeSource.hostPath`.
 */

/** The path element of the embedded struct, with the fields that come from it, or (`own`) those that do not. */
type Embedding = { readonly path: string } & ({ readonly fields: ReadonlySet<string> } | { readonly own: ReadonlySet<string> })

const typeMeta = new Set(['kind', 'apiVersion'])
const rule = new Set(['apiGroups', 'apiVersions', 'resources', 'scope'])
const name = new Set(['name'])
const persistentVolumeOwn = new Set([
  'capacity',
  'accessModes',
  'claimRef',
  'persistentVolumeReclaimPolicy',
  'storageClassName',
  'mountOptions',
  'volumeMode',
  'nodeAffinity',
  'volumeAttributesClassName',
])
const deviceConfiguration = new Set(['opaque'])

const EMBEDDINGS: ReadonlyMap<string, readonly Embedding[]> = new Map<string, readonly Embedding[]>([
  ['DeleteOptions', [{ path: 'TypeMeta', fields: typeMeta }]],
  ['Volume', [{ path: 'VolumeSource', own: name }]],
  ['PersistentVolumeSpec', [{ path: 'PersistentVolumeSource', own: persistentVolumeOwn }]],
  ['Probe', [{ path: 'ProbeHandler', fields: new Set(['exec', 'httpGet', 'tcpSocket', 'grpc']) }]],
  ['EphemeralContainer', [{ path: 'EphemeralContainerCommon', own: new Set(['targetContainerName']) }]],
  ['ConfigMapEnvSource', [{ path: 'LocalObjectReference', fields: name }]],
  ['ConfigMapKeySelector', [{ path: 'LocalObjectReference', fields: name }]],
  ['ConfigMapProjection', [{ path: 'LocalObjectReference', fields: name }]],
  ['ConfigMapVolumeSource', [{ path: 'LocalObjectReference', fields: name }]],
  ['SecretEnvSource', [{ path: 'LocalObjectReference', fields: name }]],
  ['SecretKeySelector', [{ path: 'LocalObjectReference', fields: name }]],
  ['SecretProjection', [{ path: 'LocalObjectReference', fields: name }]],
  ['IngressRule', [{ path: 'IngressRuleValue', fields: new Set(['http']) }]],
  ['RuleWithOperations', [{ path: 'Rule', fields: rule }]],
  [
    'NamedRuleWithOperations',
    [
      { path: 'RuleWithOperations.Rule', fields: rule },
      { path: 'RuleWithOperations', fields: new Set(['operations']) },
    ],
  ],
  ['DeviceClaimConfiguration', [{ path: 'DeviceConfiguration', fields: deviceConfiguration }]],
  ['DeviceClassConfiguration', [{ path: 'DeviceConfiguration', fields: deviceConfiguration }]],
  ['DeviceAllocationConfiguration', [{ path: 'DeviceConfiguration', fields: deviceConfiguration }]],
])

/** Returns a field as in Go's paths, with the embedded struct from which it comes. */
export function goFieldPath(
  struct: { readonly name: string; readonly fields: ReadonlyMap<string, unknown> },
  field: string,
): string {
  const embedding = EMBEDDINGS.get(struct.name)?.find((embedded) =>
    'own' in embedded ? !embedded.own.has(field) : embedded.fields.has(field),
  )
  if (embedding !== undefined) return `${embedding.path}.${field}`
  // In the struct of a kind, kind and apiVersion come from the embedded TypeMeta.
  return typeMeta.has(field) && struct.fields.has('metadata') ? `TypeMeta.${field}` : field
}
