/** The routes to Services of webhooks, because the server has no access to a cluster network. */

/** The server behind a port of a Service. */
export type ServiceRoute =
  | { readonly to: 'host'; readonly hostname: string; readonly port: number }
  /** A service binding of the Worker. */
  | { readonly to: 'binding'; readonly name: string }

/** The routes by `namespace/name:port`. */
export type ServiceRoutes = ReadonlyMap<string, ServiceRoute>

const format = 'NAMESPACE/NAME:PORT=https://HOST[:PORT] or NAMESPACE/NAME:PORT=binding:NAME'

function routeOf(text: string, target: string): ServiceRoute {
  if (target.startsWith('binding:')) return { to: 'binding', name: target.slice('binding:'.length) }
  if (!URL.canParse(target)) throw new Error(`the route ${JSON.stringify(text)} has no URL: it must be ${format}`)
  const { protocol, hostname, port, pathname, search } = new URL(target)
  if (protocol !== 'https:' || pathname !== '/' || search !== '')
    throw new Error(`the route ${JSON.stringify(text)} must lead to https://HOST[:PORT], without a path`)
  return { to: 'host', hostname: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 443) }
}

/**
 * Parses a comma-separated list of routes.
 * @throws Error that shows the wrong route
 * @example
 * parseServiceRoutes('default/hook:443=https://127.0.0.1:9443,policy/guard:443=binding:GUARD')
 */
export function parseServiceRoutes(list: string): ServiceRoutes {
  const routes = new Map<string, ServiceRoute>()
  for (const text of list.split(',').map((each) => each.trim())) {
    if (text === '') continue
    const [, service, target] = /^([a-z0-9-]+\/[a-z0-9.-]+:\d+)=(.+)$/.exec(text) ?? []
    if (service === undefined || target === undefined) throw new Error(`the route ${JSON.stringify(text)} must be ${format}`)
    routes.set(service, routeOf(text, target))
  }
  return routes
}
