/** Reads the cluster of a kubeconfig for a migration check. */
import { createInterface } from 'node:readline'
import { checkAgent, type ReportCollector, type SeenRequests } from '../../migration/collect.ts'
import { type ClusterReader, scanCluster } from '../../migration/scan.ts'
import type { Api } from '../api.ts'
import { LauncherError } from '../launcher-error.ts'
import { RequestCounter } from './request-counter.ts'

/** Codes of answers that concern one resource alone: the check goes on without it. */
const refusals = [400, 401, 403, 404, 405, 406, 410, 500, 503]

/** Returns a reader that uses the credentials of a kubeconfig. */
export const readerOf = (api: Api): ClusterReader => ({
  width: 4,
  get: (path, accept) => api.send({ method: 'GET', path, accept, userAgent: checkAgent }, refusals),
})

/** The path of the requests by user agent, which only Edgeplane serves. */
const requestsPath = '/edgeplane/v1/deprecated-requests'

/** Adds the requests for versions that are removed: with their user agents, or as the metrics of any server count them. */
async function addRequests(api: Api, collector: ReportCollector): Promise<void> {
  const own = await api.send({ method: 'GET', path: requestsPath }, refusals)
  if (own.status === 200) {
    const { items } = JSON.parse(own.text) as { readonly items: readonly SeenRequests[] }
    for (const seen of items) collector.addRequests(seen)
    return
  }
  try {
    const counter = new RequestCounter(collector.removals)
    for await (const line of createInterface({ input: await api.open('/metrics') })) counter.add(line)
    for (const seen of counter.requests) collector.addRequests(seen)
  } catch (error) {
    if (!(error instanceof LauncherError)) throw error
    collector.addUnread('/metrics', error.message)
  }
}

/** Checks a live cluster. @throws LauncherError if it cannot be reached */
export async function checkCluster(api: Api, collector: ReportCollector): Promise<void> {
  await scanCluster(readerOf(api), collector)
  await addRequests(api, collector)
}
