/**
 * TokenRequest: the requested lifetime and the object that the token is bound to. Follows TokenRequest of
 * authentication.k8s.io/v1 and KEP-1205.
 */
import type { CoreObject } from '../../clusters/read-object.ts'
import { badRequest, conflict } from '../../meta/errors.ts'
import { type FieldError, invalidValue } from '../../meta/field-error.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import type { Account, Binding, BoundToken, Reference } from './claims.ts'

/** The spec after decoding and defaulting. */
export interface TokenRequestSpec {
  audiences: string[] | null
  expirationSeconds: number
  boundObjectRef: { kind?: string; apiVersion?: string; name?: string; uid?: string } | null
}

/**
 * Reads an object of the account's namespace, or a Node.
 * @throws ApiError 404 if it does not exist
 */
export type ReadCore = (resource: CoreObject['resource'], name: string) => Promise<KubernetesObject>

const shortest = 10 * 60
const longest = 2 ** 32

/** Validates the requested lifetime. */
export function validateTokenRequest({ expirationSeconds }: TokenRequestSpec): FieldError[] {
  const wrong = (text: string): FieldError[] => [invalidValue('spec.expirationSeconds', expirationSeconds, text)]
  if (expirationSeconds < shortest) return wrong('may not specify a duration less than 10 minutes')
  return expirationSeconds > longest ? wrong('may not specify a duration larger than 2^32 seconds') : []
}

/** Splits an apiVersion as Go's ParseGroupVersion does, for messages. */
function groupVersionOf(apiVersion: string): { readonly group: string; readonly version: string } {
  const [first = '', second, ...more] = apiVersion.split('/')
  if (more.length > 0) return { group: '', version: '' }
  return second === undefined ? { group: '', version: first } : { group: first, version: second }
}

const referenceTo = ({ metadata: { name = '', uid } }: KubernetesObject): Reference => ({
  name,
  ...(uid !== undefined && { uid }),
})

/** Binds to a Pod. The token records the Pod's node, by name only if the Node does not exist. */
async function podBinding(object: KubernetesObject, account: string, read: ReadCore): Promise<Binding> {
  const { serviceAccountName = '', nodeName = '' } = (object.spec ?? {}) as { serviceAccountName?: string; nodeName?: string }
  if (serviceAccountName !== account) {
    throw badRequest(`cannot bind token for serviceaccount "${account}" to pod running with different serviceaccount name.`)
  }
  const pod = referenceTo(object)
  if (nodeName === '') return { to: 'pod', pod }
  const node = await read('nodes', nodeName).then(referenceTo, (error: unknown) => {
    if (isNotFound(error)) return { name: nodeName }
    throw error
  })
  return { to: 'pod', pod, node }
}

const isNotFound = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 404

interface BoundKind {
  readonly resource: CoreObject['resource']
  readonly bind: (object: KubernetesObject, account: string, read: ReadCore) => Binding | Promise<Binding>
}

/** The kinds that a token may be bound to. */
const boundKinds: Readonly<Record<'Pod' | 'Node' | 'Secret', BoundKind>> = {
  Pod: { resource: 'pods', bind: podBinding },
  Node: { resource: 'nodes', bind: (object) => ({ to: 'node', node: referenceTo(object) }) },
  Secret: { resource: 'secrets', bind: (object) => ({ to: 'secret', secret: referenceTo(object) }) },
}

const isBoundKind = (kind: string): kind is keyof typeof boundKinds => Object.hasOwn(boundKinds, kind)

/**
 * Returns the object that the token will be bound to.
 * @param account the name of the ServiceAccount
 * @throws ApiError 404 if the object does not exist, 409 if its uid differs, 400 if a token cannot be bound to the kind
 */
export async function bindingOf(ref: TokenRequestSpec['boundObjectRef'], account: string, read: ReadCore): Promise<Binding> {
  if (ref === null) return { to: 'nothing' }
  const { kind = '', apiVersion = '', name = '', uid = '' } = ref
  const { group, version } = groupVersionOf(apiVersion)
  const bound = group === '' && isBoundKind(kind) ? boundKinds[kind] : undefined
  if (bound === undefined) throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`)
  if (name === '') throw badRequest('Name parameter required.')
  const object = await read(bound.resource, name)
  const binding = await bound.bind(object, account, read)
  if (uid === '' || uid === object.metadata.uid) return binding
  const why = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`
  throw conflict({ group, resource: kind }, name, why)
}

/**
 * The lifetime that kubelet requests for Pods' projected tokens. Such a token is extended to one year, and its use after the
 * requested lifetime is logged (`warnafter`).
 */
const renewedLifetime = 3607
const extendedLifetime = 365 * 24 * 3600

/**
 * Returns the token to be made for a TokenRequest.
 * @param own the server's own audiences
 * @param now seconds since the epoch
 */
export function boundTokenOf(
  request: { readonly audiences: readonly string[]; readonly expirationSeconds: number },
  content: { readonly issuer: string; readonly account: Account; readonly binding: Binding; readonly id: string },
  own: readonly string[],
  now: number,
): BoundToken {
  const { audiences, expirationSeconds } = request
  const isPodsOwn =
    content.binding.to === 'pod' && expirationSeconds === renewedLifetime && audiences.every((audience) => own.includes(audience))
  const lifetime = isPodsOwn ? { lifetime: extendedLifetime, warnAfter: expirationSeconds } : { lifetime: expirationSeconds }
  return { ...content, audiences, now, ...lifetime }
}
