/**
 * The addresses of clusters: `/clusters/NAME/…` is the path `/…` in the cluster NAME, and `/clusters/NAME@TIME/…` the same as it was
 * at a time. With a domain, so is `/…` of the host `NAME.DOMAIN`, in which no path leads to another cluster.
 */

/** The prefix of paths in named clusters. */
export const clustersPath = '/clusters/'

/** A DNS label: the name may also become a part of a host's name. */
const clusterName = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/

/** Whether a text may be the name of a cluster. */
export const isClusterName = (name: string): boolean => clusterName.test(name)

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

/** The sign between the name of a cluster and a time, as clients may write it. */
const timeSign = /@|%40/i

/** The address of a request. Its texts are as the client sent them: the URL class would resolve dots in the path. */
export interface ClusterAddress {
  /** The name in the host or the path, which may be invalid; undefined if the URL is not in a named cluster. */
  readonly cluster: string | undefined
  /** The text of the time after the name, which may be invalid; undefined in the present. */
  readonly time: string | undefined
  /** The path of the cluster in the deployment's host: `/clusters/NAME`, or '' for the default cluster. */
  readonly clusterPath: string
  /** The path of the cluster in the path of the URL: as `clusterPath`, but '' in a cluster's host. */
  readonly basePath: string
  /** Path and query within the cluster. */
  readonly location: string
}

/**
 * Finds and writes the addresses of clusters.
 * @example
 * new ClusterAddresses('').of('https://api.example.com/clusters/blue@-5m/api/v1/pods')
 * // { cluster: 'blue', time: '-5m', clusterPath: '/clusters/blue@-5m', basePath: '/clusters/blue@-5m', location: '/api/v1/pods' }
 */
export class ClusterAddresses {
  /** `.DOMAIN`, or '' without a domain. */
  readonly #suffix: string

  /** @param domain the setting CLUSTER_DOMAIN; '' for none */
  constructor(domain: string) {
    this.#suffix = domain === '' ? '' : `.${domain}`
  }

  /** Returns the address in a URL. */
  of(url: string): ClusterAddress {
    const start = pathStart(url)
    const inHost = this.#clusterInHost(url, start)
    const isInPath = inHost === undefined && url.startsWith(clustersPath, start)
    const end = isInPath ? nameEnd(url, start) : start
    const segment = isInPath ? url.slice(start + clustersPath.length, end) : inHost
    const rest = url.slice(end)
    const location = rest.startsWith('/') || !isInPath ? rest || '/' : `/${rest}`
    if (segment === undefined) return { cluster: undefined, time: undefined, clusterPath: '', basePath: '', location }
    const clusterPath = clustersPath + segment
    const sign = timeSign.exec(segment)
    return {
      cluster: sign === null ? segment : segment.slice(0, sign.index),
      time: sign === null ? undefined : segment.slice(sign.index + sign[0].length),
      clusterPath,
      basePath: isInPath ? clusterPath : '',
      location,
    }
  }

  /**
   * Returns the name in the host of a URL, which may be invalid; undefined if it is not a host of clusters.
   * @param end the index at which the host and its port end
   */
  #clusterInHost(url: string, end: number): string | undefined {
    if (this.#suffix === '') return undefined
    const host = url.slice(url.indexOf('//') + 2, end).toLowerCase()
    const port = host.lastIndexOf(':')
    const name = port < 0 || host.endsWith(']') ? host : host.slice(0, port)
    return name.endsWith(this.#suffix) ? name.slice(0, -this.#suffix.length) : undefined
  }

  /**
   * Returns the address of a named cluster's API server: its host if there is a domain.
   * @param serverAddress `host:port` of the deployment
   */
  urlOf(serverAddress: string, name: string): string {
    if (this.#suffix === '') return `https://${serverAddress}${clustersPath}${name}`
    const port = /:(\d+)$/.exec(serverAddress)?.[1] ?? '443'
    return `https://${name}${this.#suffix}${port === '443' ? '' : `:${port}`}`
  }
}
