/**
 * Whether a user may do what a request asks for. Default-deny: members of system:masters may do everything, others
 * read what kube-apiserver's bootstrap roles show to them (system:public-info-viewer, system:discovery).
 */
import { authenticatedGroup, mastersGroup, type User, unauthenticatedGroup } from './user.ts'

/** What is asked for. */
export type Attributes =
  | { readonly isResource: false; readonly verb: string; readonly path: string }
  | {
      readonly isResource: true
      readonly verb: string
      readonly group: string
      readonly resource: string
      readonly subresource: string
      readonly namespace: string
      readonly name: string
    }

const publicPaths: readonly string[] = ['/healthz', '/livez', '/readyz', '/version', '/version/']
const discoveryPaths: readonly string[] = [...publicPaths, '/api', '/api/*', '/apis', '/apis/*', '/openapi', '/openapi/*']

function covers(paths: readonly string[], path: string): boolean {
  return paths.some((p) => (p.endsWith('*') ? path.startsWith(p.slice(0, -1)) : p === path))
}

/** Answers whether `user` may. */
export function authorize(user: User, attributes: Attributes): boolean {
  if (user.groups.includes(mastersGroup)) return true
  if (attributes.isResource || attributes.verb !== 'get') return false
  if (user.groups.includes(authenticatedGroup)) return covers(discoveryPaths, attributes.path)
  return user.groups.includes(unauthenticatedGroup) && covers(publicPaths, attributes.path)
}

/** What a refusal tells, as kube-apiserver words it. */
export function refusal(user: User, attributes: Attributes): string {
  const who = `User ${JSON.stringify(user.name)} cannot ${attributes.verb}`
  if (!attributes.isResource) return `${who} path ${JSON.stringify(attributes.path)}`
  const resource = attributes.subresource === '' ? attributes.resource : `${attributes.resource}/${attributes.subresource}`
  const where = attributes.namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(attributes.namespace)}`
  return `${who} resource ${JSON.stringify(resource)} in API group ${JSON.stringify(attributes.group)} ${where}`
}
