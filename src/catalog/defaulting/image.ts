/** The tag of an image, which determines the default imagePullPolicy. */

const component = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/
const hostPart = '[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?'
const domain = new RegExp(`^(?:${hostPart}(?:\\.${hostPart})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?$`)
const digest = /^(?:sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128})$/
/** A digest without its algorithm is no name. */
const identifier = /^[a-f0-9]{64}$/
const dockerHub: ReadonlySet<string> = new Set(['docker.io', 'index.docker.io'])
const tagText = /^[A-Za-z0-9_][-.A-Za-z0-9_]{0,127}$/
const maximumLength = 4096
const longestPath = 255

/** Whether the first part of a name is a registry's host and not a part of the path. */
const isDomain = (first: string): boolean => /[.:]/.test(first) || first === 'localhost' || first.toLowerCase() !== first

const isPath = (parts: readonly string[]): boolean =>
  parts.join('/').length <= longestPath && parts.every((part) => component.test(part))

function isName(name: string): boolean {
  const parts = name.split('/')
  const [first = '', ...rest] = parts
  const hasDomain = rest.length > 0 && isDomain(first)
  // A first part such as `a_b.c` is no host, but the name is valid as a path.
  if (hasDomain && !domain.test(first)) return isPath(parts)
  const path = hasDomain ? rest : parts
  const isOfficial = path.length === 1 && (!hasDomain || dockerHub.has(first))
  return isPath(isOfficial ? ['library', ...path] : path)
}

/**
 * Returns the tag of an image reference: `latest` if it has neither tag nor digest, '' if it has only a digest or is invalid.
 * Follows ParseImageName of k8s.io/kubernetes/pkg/util/parsers.
 */
export function imageTag(reference: string): string {
  if (reference === '' || reference.length > maximumLength || identifier.test(reference)) return ''
  const at = reference.indexOf('@')
  const named = at < 0 ? reference : reference.slice(0, at)
  if (at >= 0 && !digest.test(reference.slice(at + 1))) return ''
  const colon = named.indexOf(':', named.lastIndexOf('/') + 1)
  const name = colon < 0 ? named : named.slice(0, colon)
  if (!isName(name)) return ''
  if (colon < 0) return at < 0 ? 'latest' : ''
  const tag = named.slice(colon + 1)
  return tagText.test(tag) ? tag : ''
}

/** Returns the default imagePullPolicy. */
export function imagePullPolicy(reference: string): 'Always' | 'IfNotPresent' {
  return imageTag(reference) === 'latest' ? 'Always' : 'IfNotPresent'
}
