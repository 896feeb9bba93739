/** Names of types and operations in OpenAPI. */

/** Packages outside k8s.io/api. */
const packages: ReadonlyMap<string, string> = new Map([
  ['meta', 'io.k8s.apimachinery.pkg.apis.meta'],
  ['apiextensions', 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions'],
  ['apiregistration', 'io.k8s.kube-aggregator.pkg.apis.apiregistration'],
  ['resource', 'io.k8s.apimachinery.pkg.api.resource'],
  ['intstr', 'io.k8s.apimachinery.pkg.util.intstr'],
  ['runtime', 'io.k8s.apimachinery.pkg.runtime'],
  ['version', 'io.k8s.apimachinery.pkg.version'],
])

/**
 * Returns the name of a type's schema: `core/v1.Pod` becomes `io.k8s.api.core.v1.Pod`, `resource.Quantity` becomes
 * `io.k8s.apimachinery.pkg.api.resource.Quantity`, and the custom `example.com/v1.Bolt` becomes `com.example.v1.Bolt`.
 */
export function schemaName(reference: string): string {
  const slash = reference.indexOf('/')
  const group = reference.slice(0, Math.max(slash, 0))
  if (group.includes('.')) return `${group.split('.').reverse().join('.')}.${reference.slice(slash + 1)}`
  const end = reference.search(/[/.]/)
  const first = reference.slice(0, end)
  const versioned = reference[end] === '/'
  const known = first === 'resource' && versioned ? undefined : packages.get(first)
  return `${known ?? `io.k8s.api.${first}`}.${reference.slice(end + 1)}`
}

/** Returns the text with its first letter in upper case. */
export const capitalized = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)

/** Returns the tag of a group: `rbacAuthorization` for rbac.authorization.k8s.io, `core` for the core group. */
export function groupTag(group: string): string {
  if (group === '') return 'core'
  const [first = '', ...more] = group.replace(/\.k8s\.io$/, '').split(/[.-]/)
  return first + more.map(capitalized).join('')
}

/** Returns the tag of a group version, such as `rbacAuthorization_v1`. */
export const versionTag = (of: { readonly group: string; readonly version: string }): string =>
  `${groupTag(of.group)}_${of.version}`

/** Returns the name of a group version in operationIds, such as `RbacAuthorizationV1`. */
export const versionName = (of: { readonly group: string; readonly version: string }): string =>
  capitalized(groupTag(of.group)) + capitalized(of.version)
