/**
 * The addresses of clusters: `/clusters/NAME/…` is the path `/…` in the cluster NAME, and `/clusters/NAME@TIME/…` the same as it was
 * at a time. With a domain, so is `/…` of the host `NAME.DOMAIN`, in which no path leads to another cluster.
 */

/** The prefix of paths in named clusters. */
export const clustersPath = '/clusters/'

/** A DNS label: the name may also become a part of a host's name. */
const clusterName = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/

/** A name of a host: labels separated by dots. */
const domainName = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/

/** Whether a text may be the name of a cluster. */
export const isClusterName = (name: string): boolean => clusterName.test(name)

/** `.DOMAIN`, or '' without a domain. */
let suffix = ''

/**
 * Sets the domain of clusters' hosts: the setting CLUSTER_DOMAIN. '' for none.
 * @throws Error for a text that is not a name of a host
 */
export function useClusterDomain(domain: string): void {
  if (domain !== '' && !domainName.test(domain)) {
    throw new Error(`CLUSTER_DOMAIN: must be a domain in lower case such as clusters.example.com, not ${JSON.stringify(domain)}`)
  }
  suffix = domain === '' ? '' : `.${domain}`
}

/** Returns the index at which the path of a URL begins. */
function pathStart(url: string): number {
  const slash = url.indexOf('/', url.indexOf('//') + 2)
  return slash < 0 ? url.length : slash
}

/** Returns the index at which the name in a path of a cluster ends. @param start the index at which the path begins */
function nameEnd(url: string, start: number): number {
  const from = start + clustersPath.length
  const [slash, query] = [url.indexOf('/', from), url.indexOf('?', from)]
  if (slash < 0) return query < 0 ? url.length : query
  return query < 0 ? slash : Math.min(slash, query)
}

/**
 * Returns the name in the host of a URL, which may be invalid; undefined if it is not a host of clusters.
 * @param end the index at which the host and its port end
 */
function hostCluster(url: string, end: number): string | undefined {
  if (suffix === '') return undefined
  const host = url.slice(url.indexOf('//') + 2, end).toLowerCase()
  const port = host.lastIndexOf(':')
  const name = port < 0 || host.endsWith(']') ? host : host.slice(0, port)
  return name.endsWith(suffix) ? name.slice(0, -suffix.length) : undefined
}

/**
 * Returns the name in the host or the path of a URL, which may be invalid; undefined if the URL is not in a named cluster.
 * @example
 * clusterIn('https://api.example.com/clusters/blue/api/v1/pods') // 'blue'
 */
export function clusterIn(url: string): string | undefined {
  const start = pathStart(url)
  const named = hostCluster(url, start)
  if (named !== undefined) return named
  return url.startsWith(clustersPath, start) ? url.slice(start + clustersPath.length, nameEnd(url, start)) : undefined
}

/** The sign between the name of a cluster and a time, as clients may write it. */
const timeSign = /@|%40/i

/** Returns the name of a cluster in the segment of a path, without a time. */
export const withoutTime = (segment: string): string => segment.split(timeSign, 1)[0] ?? ''

/**
 * Returns the text of the time in the path of a URL, which may be invalid; undefined if the path is in the present.
 * @example
 * timeIn('https://api.example.com/clusters/blue@-5m/api/v1/pods') // '-5m'
 */
export function timeIn(url: string): string | undefined {
  const segment = clusterIn(url)
  const sign = segment === undefined ? null : timeSign.exec(segment)
  if (segment === undefined || sign === null) return undefined
  return segment.slice(sign.index + sign[0].length)
}

/** Returns the path of the cluster of a URL in the deployment's host: `/clusters/NAME`, or '' for the default cluster. */
export function clusterPathIn(url: string): string {
  const name = clusterIn(url)
  return name === undefined ? '' : clustersPath + name
}

/** Returns the path of a cluster in the path of a URL: `/clusters/NAME`, or '' for the default cluster and in a cluster's host. */
export function basePathIn(url: string): string {
  return hostCluster(url, pathStart(url)) === undefined ? clusterPathIn(url) : ''
}

/** Returns path and query of a URL as the client sent them, within the cluster. The URL class would resolve dots in the path. */
export function locationInCluster(url: string): string {
  const start = pathStart(url)
  if (!url.startsWith(clustersPath, start) || hostCluster(url, start) !== undefined) return url.slice(start) || '/'
  const rest = url.slice(nameEnd(url, start))
  return rest.startsWith('/') ? rest : `/${rest}`
}

/**
 * Returns the address of a named cluster's API server: its host if there is a domain.
 * @param serverAddress `host:port` of the deployment
 */
export function clusterUrl(serverAddress: string, name: string): string {
  if (suffix === '') return `https://${serverAddress}${clustersPath}${name}`
  const port = /:(\d+)$/.exec(serverAddress)?.[1] ?? '443'
  return `https://${name}${suffix}${port === '443' ? '' : `:${port}`}`
}
