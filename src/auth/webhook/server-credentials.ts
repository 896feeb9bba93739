/**
 * The credentials with which admission webhooks are called. Follows the AuthenticationInfoResolver of
 * k8s.io/apiserver/pkg/util/webhook: the users of a kubeconfig have the names of servers.
 */
import type { ImagePolicyConfiguration } from '../../config/admission/documents.ts'
import { ConfigurationError } from '../../config/document.ts'
import type { JsonObject } from '../../go/json-value.ts'
import { anyObjectAt, listAt } from '../configuration-fields.ts'
import { authorizationOf, endpointAt, type WebhookEndpoint } from './endpoint.ts'

/**
 * Returns the value of `Authorization` for a server; undefined if it gets none.
 * @param server `host:port`; for a Service `name.namespace.svc:port`
 */
export type WebhookCredentials = (server: string) => string | undefined

/** Returns the names of users that fit a server: itself, then `*.` and each of its parent domains. */
function candidates(server: string): string[] {
  const labels = server.split('.')
  return [server, ...labels.slice(1).map((_, index) => `*.${labels.slice(index + 1).join('.')}`)]
}

/** Returns the name of the user in the current context. */
function currentUser(kubeconfig: JsonObject): string | undefined {
  const context = listAt(kubeconfig.contexts ?? [], 'kubeconfig.contexts').find(
    (one) => anyObjectAt(one, 'kubeconfig.contexts').name === kubeconfig['current-context'],
  )
  const user = context && (anyObjectAt(context, 'kubeconfig.contexts').context as { readonly user?: unknown } | undefined)?.user
  return typeof user === 'string' && user !== '' ? user : undefined
}

function usersOf(kubeconfig: JsonObject): Map<string, string | undefined> {
  const users = new Map<string, string | undefined>()
  for (const [index, entry] of listAt(kubeconfig.users ?? [], 'kubeconfig.users').entries()) {
    const at = `kubeconfig.users[${index}]`
    const { name, user } = anyObjectAt(entry, at)
    users.set(String(name), authorizationOf(anyObjectAt(user ?? {}, `${at}.user`), `${at}.user`))
  }
  return users
}

/** Converts a ConfigurationError to one that names the field. */
function named<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof ConfigurationError ? new Error(`${error.path} ${error.message}`) : error
  }
}

/**
 * Reads the kubeconfig of a WebhookAdmissionConfiguration.
 * @param kubeconfig without references to files; undefined for no credentials
 * @throws Error that names a field which is wrong or not supported
 */
export function readWebhookCredentials(kubeconfig: JsonObject | undefined): WebhookCredentials {
  if (kubeconfig === undefined) return () => undefined
  const [users, current] = named(() => [usersOf(kubeconfig), currentUser(kubeconfig)] as const)
  return (server) => {
    const names = [
      ...candidates(server),
      ...(server.endsWith(':443') ? candidates(server.slice(0, -':443'.length)) : []),
      '*',
      ...(current === undefined ? [] : [current]),
    ]
    return users.get(names.find((name) => users.has(name)) ?? '')
  }
}

/** Reads the backend of the plugin ImagePolicyWebhook. @throws Error that names a field which is wrong or not supported */
export function readImagePolicyEndpoint({ kubeConfig }: ImagePolicyConfiguration): WebhookEndpoint {
  return named(() => endpointAt(kubeConfig, 'kubeconfig'))
}
