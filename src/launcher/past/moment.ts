/** Moments of clusters on the command line: `NAME[@TIME]`, or `.[@TIME]` and `@TIME` for the cluster of the kubeconfig. */
import { Api } from '../api.ts'
import { kubeconfigOfCluster } from '../clusters/clusters.ts'
import { type Connection, connectionIn } from '../connection.ts'
import { readTime } from '../time.ts'

/** A cluster at a time. */
export interface Moment {
  /** '' for the cluster of the kubeconfig. */
  readonly cluster: string
  /** RFC 3339; undefined for the present. */
  readonly time: string | undefined
}

/** Reads a moment. @throws LauncherError for an invalid time */
export function readMoment(text: string, now: number): Moment {
  const [cluster = '', ...time] = text.split('@')
  return { cluster: cluster === '.' ? '' : cluster, time: time.length === 0 ? undefined : readTime(time.join('@'), now) }
}

/** The address of a named cluster, which ends in its name. */
const namedAddress = /\/clusters\/[^/]+$/

/** Returns the connection to the same cluster at a time. */
export function connectionAt(connection: Connection, time: string | undefined): Connection {
  if (time === undefined) return connection
  const { url } = connection
  return { ...connection, url: `${namedAddress.test(url) ? url : `${url}/clusters/default`}@${time}` }
}

/** Returns the connection to a moment. @param api the server @throws LauncherError if there is no such cluster */
async function connectionOf(api: Api, { cluster, time }: Moment): Promise<Connection> {
  if (cluster === '') return connectionAt(api.connection, time)
  const named = connectionIn(JSON.parse(await kubeconfigOfCluster(api, cluster)), '.', {})
  return connectionAt(named, time)
}

/** Calls a function with the cluster of a moment. */
export async function withMoment<T>(api: Api, moment: Moment, use: (at: Api) => Promise<T>): Promise<T> {
  const at = new Api(await connectionOf(api, moment))
  try {
    return await use(at)
  } finally {
    at.close()
  }
}
