/** Named clusters. */
import { clusterPlacements } from '../../clusters/placement.ts'
import { readClusterEgress } from '../cluster-egress.ts'
import { readClusterOwnerLimits } from '../cluster-owner-limits.ts'
import { parseServiceRoutes } from '../service-routes.ts'
import { domain, enabled, integer, oneOf } from './readers.ts'
import type { SettingTable } from './setting.ts'

export const clusterSettings = {
  clusterEgress: {
    variable: 'CLUSTER_EGRESS',
    flag: 'cluster-egress',
    value: 'LIST',
    help: [
      'what named clusters may connect to beside the public internet: hosts, addresses and CIDRs,',
      'separated by commas (default: nothing; 127.0.0.0/8,::1 with --ephemeral and with --testing)',
    ],
    read: readClusterEgress,
    at: ['worker', 'object'],
  },
  serviceRoutes: {
    variable: 'SERVICE_ROUTES',
    flag: 'service-routes',
    value: 'LIST',
    help: ['servers of the Services of webhooks and APIServices, separated by commas: NAMESPACE/NAME:PORT=https://HOST:PORT'],
    read: parseServiceRoutes,
    at: ['worker', 'object'],
  },
  /** The placement of clusters that are made by this deployment. */
  placement: {
    variable: 'PLACEMENT',
    flag: 'placement',
    value: 'PLACEMENT',
    help: [
      'the Durable Objects of a new cluster: `collections`, one for each collection (default),',
      'or `one-object`, one for all',
    ],
    default: 'collections',
    read: oneOf(...clusterPlacements),
    at: ['object'],
  },
  clusterDomain: {
    variable: 'CLUSTER_DOMAIN',
    flag: 'cluster-domain',
    value: 'DOMAIN',
    help: ['a domain whose names all lead here: the cluster NAME answers at NAME.DOMAIN, too'],
    read: domain,
    at: ['worker', 'object'],
  },
  clusterOwnerLimits: {
    variable: 'CLUSTER_OWNER_LIMITS',
    flag: 'cluster-owner-limits',
    value: 'JSON',
    help: ['what those may have who make clusters and are no administrators, such as {"clusters":3,"expiry":"168h"}'],
    read: readClusterOwnerLimits,
    at: ['object'],
  },
  clusterFinalizerSeconds: {
    variable: 'CLUSTER_FINALIZER_SECONDS',
    flag: 'cluster-finalizer-seconds',
    value: 'SECONDS',
    help: ['how long finalizers keep the object of a cluster whose time is over; its data is gone (default {default})'],
    default: '3600',
    read: integer('seconds', { from: 1, to: 2_592_000 }),
    at: ['object'],
  },
  publicPage: {
    variable: 'PUBLIC_PAGE',
    flag: 'public-page',
    value: 'STATE',
    help: ['`enabled`: browsers get a page at / that says what this is'],
    read: enabled,
    at: ['worker'],
  },
} as const satisfies SettingTable
