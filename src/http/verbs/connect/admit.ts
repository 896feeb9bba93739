/** Admission of connections: pods/exec, attach and portforward, and the proxies. */
import type { JsonObject } from '../../../go/json-value.ts'
import { withWarningsOnErrors } from '../../../meta/errors.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { queryBoolean, queryText } from '../../../meta/query.ts'
import type { ResourceContext } from '../../context.ts'
import type { ResourceRequest } from '../../request-info.ts'
import { admitHere } from '../admission.ts'
import { addWarnings } from '../respond.ts'

type ReadField = (query: URLSearchParams, name: string) => JsonObject[string] | undefined

const flag: ReadField = (query, name) => queryBoolean(query, name) || undefined
const text: ReadField = (query, name) => queryText(query, name) || undefined
const texts: ReadField = (query, name) => (query.has(name) ? query.getAll(name) : undefined)

/** Returns the ports of a port forwarding as they are written: each parameter is a list with commas. */
export const portTexts = (query: URLSearchParams): string[] => query.getAll('ports').flatMap((texts) => texts.split(','))

const ports: ReadField = (query) => (query.has('ports') ? portTexts(query).map(Number) : undefined)

/** The options of a connection, as admission leaves them. */
export interface ConnectOptions {
  readonly container?: string
  readonly command?: readonly string[]
  readonly stdin?: boolean
  readonly stdout?: boolean
  readonly stderr?: boolean
  readonly tty?: boolean
  readonly ports?: readonly number[]
  /** The decoded path behind a proxy. */
  readonly path?: string
}

const streams = { stdin: flag, stdout: flag, stderr: flag, tty: flag, container: text }

/** The kinds of the options of connections, with their fields, which are query parameters. */
const optionKinds: Readonly<Record<string, { readonly kind: string; readonly fields: Readonly<Record<string, ReadField>> }>> = {
  'pods/exec': { kind: 'PodExecOptions', fields: { ...streams, command: texts } },
  'pods/attach': { kind: 'PodAttachOptions', fields: streams },
  'pods/portforward': { kind: 'PodPortForwardOptions', fields: { ports } },
  'pods/proxy': { kind: 'PodProxyOptions', fields: {} },
  'services/proxy': { kind: 'ServiceProxyOptions', fields: {} },
  'nodes/proxy': { kind: 'NodeProxyOptions', fields: {} },
}

/** Returns the decoded path behind a proxy; '' if the request's path ends with `proxy`. */
export function proxiedPath({ path, parts }: ResourceRequest): string {
  const below = parts.slice(3).filter((part) => part !== '')
  if (below.length === 0) return path.endsWith('/') ? '/' : ''
  return `/${below.join('/')}${path.endsWith('/') ? '/' : ''}`
}

/**
 * Runs admission for a connection. Its object are the options of the connection.
 * @returns the options, which admission may have changed, and the warnings
 * @throws ApiError if a plugin, policy or webhook rejects the connection
 */
async function admitConnect(
  context: ResourceContext,
): Promise<{ readonly options: ConnectOptions; readonly warnings: readonly string[] }> {
  const { target, query, info } = context
  const found = optionKinds[`${target.resource}/${target.subresource}`]
  if (found === undefined) return { options: {}, warnings: [] }
  const fields = Object.entries(found.fields).map(([name, read]) => [name, read(query, name)] as const)
  const path = target.subresource === 'proxy' ? proxiedPath(info) : ''
  const set = Object.fromEntries(fields.filter(([, value]) => value !== undefined))
  const options = { kind: found.kind, apiVersion: 'v1', ...set, ...(path !== '' && { path }) }
  const noOptions = { kind: 'CreateOptions', fields: {} } as const
  const object = options as unknown as KubernetesObject
  const warnings = await admitHere(context, object, { operation: 'CONNECT', options: noOptions, dryRun: false })
  return { options: object as ConnectOptions, warnings }
}

/**
 * Admits a connection before it is opened. The warnings are on the response or the error; an upgrade has no place for them.
 * @throws ApiError if a plugin, policy or webhook rejects the connection, and the errors of the connection
 */
export async function afterAdmission(
  context: ResourceContext,
  connect: (options: ConnectOptions) => Promise<Response>,
): Promise<Response> {
  const { options, warnings } = await admitConnect(context)
  const response = await withWarningsOnErrors(warnings, () => connect(options))
  if (warnings.length === 0 || response.status === 101) return response
  const warned = new Response(response.body, response)
  addWarnings(warned.headers, warnings)
  return warned
}
