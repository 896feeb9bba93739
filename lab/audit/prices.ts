/**
 * Cloudflare's list prices in US dollars and the amounts that the plans include, as its documentation stated them in November 2026.
 * This is the only place with prices.
 */
import type { Usage } from './usage.ts'

const durableObjects = 'https://developers.cloudflare.com/durable-objects/platform/pricing/'
const workers = 'https://developers.cloudflare.com/workers/platform/pricing/'
const observability = 'https://developers.cloudflare.com/observability/pricing/'

/** The memory in GB that is billed for each object, whatever it uses. */
const objectMemory = 128 / 1000

/** A billed quantity. */
export interface Price {
  readonly name: string
  readonly unit: string
  /** Dollars for one unit. */
  readonly dollars: number
  /** The units that Workers Paid includes in each month. */
  readonly included: number
  /** The limit of Workers Free. */
  readonly free: { readonly amount: number; readonly each: 'day' | 'account' | 'invocation' }
  readonly page: string
  /** Returns the units in a usage. */
  readonly units: (usage: Usage) => number
}

const million = 1_000_000
const gigabyte = 1_000_000_000

export const prices: readonly Price[] = [
  {
    name: 'Worker requests',
    unit: 'million',
    dollars: 0.3,
    included: 10,
    free: { amount: 0.1, each: 'day' },
    page: workers,
    units: ({ workerRequests }) => workerRequests / million,
  },
  {
    name: "Workers' processor time",
    unit: 'million ms',
    dollars: 0.02,
    included: 30,
    free: { amount: 10 / million, each: 'invocation' },
    page: workers,
    units: ({ cpuMilliseconds }) => cpuMilliseconds / million,
  },
  {
    // Twenty messages to an object are billed as one request, messages from it as none.
    name: 'Durable Object requests',
    unit: 'million',
    dollars: 0.15,
    included: 1,
    free: { amount: 0.1, each: 'day' },
    page: durableObjects,
    units: ({ objectRequests, policyRenewals, alarms, socketMessages }) =>
      (objectRequests + policyRenewals + alarms + socketMessages / 20) / million,
  },
  {
    name: 'Durable Object duration',
    unit: 'million GB-s',
    dollars: 12.5,
    included: 0.4,
    free: { amount: 0.013, each: 'day' },
    page: durableObjects,
    units: ({ heldSeconds }) => (heldSeconds * objectMemory) / million,
  },
  {
    // Each setAlarm is a row written.
    name: 'Rows written',
    unit: 'million',
    dollars: 1,
    included: 50,
    free: { amount: 0.1, each: 'day' },
    page: durableObjects,
    units: ({ rowsWritten, alarmsSet }) => (rowsWritten + alarmsSet) / million,
  },
  {
    name: 'Rows read',
    unit: 'million',
    dollars: 0.001,
    included: 25_000,
    free: { amount: 5, each: 'day' },
    page: durableObjects,
    units: ({ rowsRead }) => rowsRead / million,
  },
  {
    // The price from 1 December 2026. Before, it was $0.60 for a million events, of which 20 million were included.
    name: 'Logs',
    unit: 'GB',
    dollars: 0.25,
    included: 50,
    free: { amount: 0.5, each: 'day' },
    page: observability,
    units: ({ logBytes }) => logBytes / gigabyte,
  },
]

/** Storage, in GB for a month; its cost depends on how long data is kept. */
export const storagePrice = {
  name: 'Stored data',
  unit: 'GB-month',
  dollars: 0.2,
  included: 5,
  free: { amount: 5, each: 'account' },
  page: durableObjects,
} as const

/** The monthly fee of Workers Paid. */
export const monthlyFee = 5

/** Returns the dollars for keeping bytes for a month. */
export const storageCost = (bytes: number): number => (bytes / gigabyte) * storagePrice.dollars

/** One line of a bill. */
export interface Line {
  readonly price: Price
  readonly units: number
  /** The cost without regard to included units. */
  readonly dollars: number
  /** The cost if the account uses its included units for nothing else. */
  readonly beyondIncluded: number
}

/** Returns the bill of a usage in one month. */
export const bill = (usage: Usage): readonly Line[] =>
  prices.map((price) => {
    const units = price.units(usage)
    const beyondIncluded = Math.max(0, units - price.included) * price.dollars
    return { price, units, dollars: units * price.dollars, beyondIncluded }
  })

/** Returns the sum of a bill. */
export const totalOf = (lines: readonly Line[], column: 'dollars' | 'beyondIncluded'): number =>
  lines.reduce((total, line) => total + line[column], 0)
