/** The address and credentials of a webhook: the parts that kube-apiserver reads from a kubeconfig file. */

import { ConfigurationError, configurationError } from '../../config/document.ts'
import { pemAt } from '../ca-fetch.ts'
import { anyObjectAt, httpsAt, listAt, objectAt, textAt } from '../configuration-fields.ts'

export interface WebhookEndpoint {
  readonly url: string
  /** The value of `Authorization`; undefined without credentials. */
  readonly authorization: string | undefined
  /** The CA of its certificate, PEM; undefined for the public trust store. */
  readonly certificateAuthority: string | undefined
}

type Named = Readonly<Record<string, unknown>>

/** Returns the entry of a kubeconfig list with this name. */
function namedAt(list: unknown, path: string, name: string, field: string): Named {
  const index = listAt(list, path).findIndex((one) => (one as Named | null)?.name === name)
  if (index < 0) throw configurationError(path, `has no ${JSON.stringify(name)}`)
  return anyObjectAt((listAt(list, path)[index] as Named)[field], `${path}[${index}].${field}`)
}

/** Reads a URL. Plain http is allowed for loopback addresses only. */
function urlAt(value: unknown, path: string): string {
  const text = textAt(value, path)
  if (/^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?(?:\/|$)/.test(text)) return text
  // A webhook's URL may have a query.
  const [base = '', query] = text.split('?', 2)
  return query === undefined ? httpsAt(text, path) : `${httpsAt(base, path)}?${query}`
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** Returns the value of `Authorization` for a user of a kubeconfig. @throws ConfigurationError for other fields */
export function authorizationOf(user: Named, path: string): string | undefined {
  const { token, username, password } = objectAt(user, path, ['token', 'username', 'password'])
  if (token !== undefined) return `Bearer ${textAt(token, `${path}.token`)}`
  if (username === undefined) return undefined
  return `Basic ${base64(`${textAt(username, `${path}.username`)}:${textAt(password, `${path}.password`)}`)}`
}

/**
 * Reads the current context of a kubeconfig. Files must be inlined; client certificates and insecure-skip-tls-verify are not
 * supported.
 * @throws ConfigurationError with the field that is wrong or not supported
 */
export function endpointAt(value: unknown, path: string): WebhookEndpoint {
  const config = anyObjectAt(value, path)
  const { clusters, users = [], contexts } = config
  const name = textAt(config['current-context'], `${path}.current-context`)
  const context = namedAt(contexts, `${path}.contexts`, name, 'context')
  const cluster = namedAt(clusters, `${path}.clusters`, textAt(context.cluster, `${path}.contexts.cluster`), 'cluster')
  const at = `${path}.clusters.cluster`
  const { server, 'certificate-authority-data': data } = objectAt(cluster, at, ['server', 'certificate-authority-data'])
  const hasUser = typeof context.user === 'string' && context.user !== ''
  const user = hasUser ? namedAt(users, `${path}.users`, String(context.user), 'user') : {}
  return {
    url: urlAt(server, `${at}.server`),
    authorization: authorizationOf(user, `${path}.users.user`),
    certificateAuthority:
      data === undefined ? undefined : pemAt(Buffer.from(String(data), 'base64').toString(), `${at}.certificate-authority-data`),
  }
}

/**
 * Reads a kubeconfig that is the value of a setting.
 * @throws Error that names the setting and the field
 */
export function readEndpoint(json: string, setting: string): WebhookEndpoint {
  try {
    return endpointAt(JSON.parse(json), 'kubeconfig')
  } catch (error) {
    if (error instanceof ConfigurationError) throw new Error(`${setting}: ${error.path} ${error.message}`)
    // The parser's message would reveal part of a secret.
    throw new Error(`${setting} is no JSON`)
  }
}
