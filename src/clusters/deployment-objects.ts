/**
 * The objects that belong to the deployment alone: Cluster objects, their definition, the namespace with the kubeconfigs of named
 * clusters, and the permissions of their owners. They mean nothing in another cluster, and the kubeconfigs are credentials, so
 * nothing that leaves a cluster carries them: no fork, no export, no import.
 */

/** The namespace of the Secrets with the kubeconfigs of named clusters. */
export const kubeconfigNamespace = 'edgeplane-clusters'

/** The prefix of the storage keys of these Secrets. */
export const kubeconfigSecrets = `secrets/${kubeconfigNamespace}/`

/** The beginning of the names of the roles and bindings that the owner of a cluster gets. */
export const clusterOwnerPrefix = 'edgeplane:cluster-owner:'

/** Objects of one resource, which a manifest names by its kind. */
interface DeploymentObjects {
  /** `<resource>[.<group>]`. */
  readonly collection: string
  /** `<kind>[.<group>]`. */
  readonly kind: string
  readonly has: (name: string) => boolean
}

const isOwnerAccess = (name: string): boolean => name.startsWith(clusterOwnerPrefix)

/** The objects outside of the namespace. */
const deploymentObjects: readonly DeploymentObjects[] = [
  { collection: 'namespaces', kind: 'Namespace', has: (name) => name === kubeconfigNamespace },
  { collection: 'clusters.edgeplane.dev', kind: 'Cluster.edgeplane.dev', has: () => true },
  {
    collection: 'customresourcedefinitions.apiextensions.k8s.io',
    kind: 'CustomResourceDefinition.apiextensions.k8s.io',
    has: (name) => name === 'clusters.edgeplane.dev',
  },
  // The server makes it from the definition.
  {
    collection: 'apiservices.apiregistration.k8s.io',
    kind: 'APIService.apiregistration.k8s.io',
    has: (name) => name === 'v1.edgeplane.dev',
  },
  { collection: 'clusterroles.rbac.authorization.k8s.io', kind: 'ClusterRole.rbac.authorization.k8s.io', has: isOwnerAccess },
  {
    collection: 'clusterrolebindings.rbac.authorization.k8s.io',
    kind: 'ClusterRoleBinding.rbac.authorization.k8s.io',
    has: isOwnerAccess,
  },
]

const byCollection = new Map(deploymentObjects.map((objects) => [objects.collection, objects]))
const byKind = new Map(deploymentObjects.map((objects) => [objects.kind, objects]))

/** Whether the object with a storage key `<collection>/[<namespace>/]<name>` belongs to the deployment alone. */
export function isDeploymentKey(key: string): boolean {
  const [collection = '', ...path] = key.split('/')
  const [first = '', second] = path
  return second === undefined ? byCollection.get(collection)?.has(first) === true : first === kubeconfigNamespace
}

/** The fields that identify an object. */
interface Identified {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly namespace?: unknown; readonly name?: unknown }
}

/** Whether an object belongs to the deployment alone. */
export function isDeploymentObject({ apiVersion, kind, metadata: { namespace, name } }: Identified): boolean {
  if (namespace === kubeconfigNamespace) return true
  const slash = apiVersion.indexOf('/')
  const text = slash < 0 ? kind : `${kind}.${apiVersion.slice(0, slash)}`
  return byKind.get(text)?.has(String(name)) === true
}
