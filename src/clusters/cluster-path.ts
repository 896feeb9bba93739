/**
 * The paths of clusters: `/clusters/NAME/…` is the path `/…` in the cluster NAME, and `/clusters/NAME@TIME/…` the same as it was at a
 * time.
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

/**
 * Returns the name in the path of a URL, which may be invalid; undefined if the path is not in a named cluster.
 * @example
 * clusterIn('https://api.example.com/clusters/blue/api/v1/pods') // 'blue'
 */
export function clusterIn(url: string): string | undefined {
  const start = pathStart(url)
  if (!url.startsWith(clustersPath, start)) return undefined
  return /^[^/?]*/.exec(url.slice(start + clustersPath.length))?.[0] ?? ''
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

/** Returns the path of a cluster in the path of a URL: `/clusters/NAME`, or '' for the default cluster. */
export function basePathIn(url: string): string {
  const name = clusterIn(url)
  return name === undefined ? '' : clustersPath + name
}

/** Returns path and query of a URL as the client sent them, within the cluster. The URL class would resolve dots in the path. */
export function locationInCluster(url: string): string {
  const start = pathStart(url)
  if (!url.startsWith(clustersPath, start)) return url.slice(start) || '/'
  const rest = url.slice(start + clustersPath.length)
  const end = rest.search(/[/?]/)
  if (end < 0) return '/'
  return rest[end] === '?' ? `/${rest.slice(end)}` : rest.slice(end)
}
