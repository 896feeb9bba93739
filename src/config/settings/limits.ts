/** Limits, ages and memory. */
import { integer, oneOf, rate } from './readers.ts'
import type { SettingTable } from './setting.ts'

export const limitSettings = {
  /** `sockets`: open watches do not keep Durable Objects in memory. `streams`: they do, and events take one step less. */
  watches: {
    variable: 'WATCHES',
    flag: 'watches',
    value: 'KIND',
    help: ['how events reach clients: streams (default), or sockets as on Cloudflare'],
    default: 'sockets',
    local: 'streams',
    read: oneOf('streams', 'sockets'),
    at: ['worker'],
  },
  /** `memory`: what a Durable Object of the same process has in memory is read without a request. Only for one process. */
  reads: {
    variable: 'READS',
    default: 'requests',
    local: 'memory',
    read: oneOf('requests', 'memory'),
    at: ['worker', 'object'],
  },
  /** The sum of all limited priority levels in one isolate; 0 for no limit. kube-apiserver has two limits, 400 and 200. */
  maxRequestsInflight: {
    variable: 'MAX_REQUESTS_INFLIGHT',
    flag: 'max-requests-inflight',
    value: 'N',
    help: ['requests that run at once, 0 for no limit (default {default})'],
    default: '600',
    read: integer('requests', { from: 0, to: 999_999_999 }),
    at: ['worker'],
  },
  userRate: {
    variable: 'USER_RATE',
    flag: 'user-rate',
    value: 'RATE',
    help: ['requests a second of one user, or RATE:BURST (default: no limit)'],
    read: rate,
    at: ['worker'],
  },
  addressRate: {
    variable: 'ADDRESS_RATE',
    flag: 'address-rate',
    value: 'RATE',
    help: ['the same of one address (default: no limit)'],
    read: rate,
    at: ['worker'],
  },
  /** The memory of all caches of an isolate, in MiB: a quarter of an isolate's. A process of its own may have more. */
  cacheMegabytes: {
    variable: 'CACHE_MEGABYTES',
    flag: 'cache-megabytes',
    value: 'N',
    help: ['memory of all caches together, 4 to 4096 (default {default})'],
    default: '32',
    local: '128',
    read: integer('megabytes', { from: 4, to: 4096 }),
    at: ['worker'],
  },
  /**
   * MiB of long texts after which garbage is collected; 0: V8 alone decides, which knows the limit of its heap on Cloudflare. Locally
   * it takes the memory of the whole machine for its own.
   */
  garbageMegabytes: {
    variable: 'GARBAGE_MEGABYTES',
    default: '0',
    local: '96',
    read: integer('megabytes', { from: 0, to: 4096 }),
    at: ['worker'],
  },
  /** The maximum age of permissions, checked tokens and the admission configuration in the Worker. */
  policySeconds: { variable: 'POLICY_SECONDS', default: '1', read: integer('seconds', { from: 1, to: 10 }), at: ['worker'] },
  /** The seconds for which outdated rules are used while the control object does not answer. */
  policyStaleSeconds: {
    variable: 'POLICY_STALE_SECONDS',
    default: '0',
    read: integer('seconds', { from: 0, to: 3600 }),
    at: ['worker'],
  },
} as const satisfies SettingTable
