/** The tag of an image, which determines the default imagePullPolicy. */

const component = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/
const domain = /^[A-Za-z0-9](?:[-.A-Za-z0-9]*[A-Za-z0-9])?(?::[0-9]+)?$/
const digest = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/
const tagText = /^[A-Za-z0-9_][-.A-Za-z0-9_]{0,127}$/
const maximumLength = 4096
const longestPath = 255

/** Whether the first part of a name is a registry's host and not a part of the path. */
const isDomain = (first: string): boolean => /[.:]/.test(first) || first === 'localhost' || first.toLowerCase() !== first

function isName(name: string): boolean {
  const [first = '', ...rest] = name.split('/')
  const path = rest.length > 0 && isDomain(first) ? rest : [first, ...rest]
  if (path.join('/').length > longestPath) return false
  return (path.length > rest.length || domain.test(first)) && path.every((part) => component.test(part))
}

/**
 * Returns the tag of an image reference: `latest` if it has neither tag nor digest, '' if it has only a digest or is invalid.
 * Follows ParseImageName of k8s.io/kubernetes/pkg/util/parsers.
 */
export function imageTag(reference: string): string {
  if (reference.length > maximumLength) return ''
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
