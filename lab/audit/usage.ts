/** The quantities that Cloudflare bills, and sums of them. */

/** The counted quantities, with their units. */
export const quantities = {
  workerRequests: 'requests to the Worker',
  objectRequests: 'requests to Durable Objects, except renewals of the rules',
  policyRenewals: 'requests to the control object for the rules (`/policy`)',
  socketMessages: 'WebSocket messages that Durable Objects received',
  alarms: 'runs of alarms',
  alarmsSet: 'calls of setAlarm',
  rowsRead: 'rows read, by SQL and by the key-value methods',
  rowsWritten: 'rows written, by SQL and by the key-value methods',
  heldSeconds: 'seconds in which a Durable Object could not hibernate',
  wakes: 'constructions of Durable Objects',
  logEvents: 'lines written to the console',
  logBytes: 'bytes of these lines',
  storedBytes: 'bytes of the databases',
  cpuMilliseconds: 'milliseconds of the processor, measured apart',
} as const

export type Quantity = keyof typeof quantities

/** An amount of each quantity. */
export type Usage = Readonly<Record<Quantity, number>>

export const quantityNames = Object.keys(quantities) as Quantity[]

const usageOf = (amount: (quantity: Quantity) => number): Usage =>
  Object.fromEntries(quantityNames.map((quantity) => [quantity, amount(quantity)])) as Record<Quantity, number>

export const noUsage: Usage = usageOf(() => 0)

/** Returns the usage between two readings. */
export const difference = (later: Usage, earlier: Usage): Usage => usageOf((quantity) => later[quantity] - earlier[quantity])

/** Returns so many times the usage. */
export const times = (count: number, usage: Usage): Usage => usageOf((quantity) => count * usage[quantity])

export const sum = (...usages: readonly Usage[]): Usage =>
  usageOf((quantity) => usages.reduce((total, usage) => total + usage[quantity], 0))

/** Returns the usage without negative amounts, which differences of two measurements may have. */
export const atLeastZero = (usage: Usage): Usage => usageOf((quantity) => Math.max(0, usage[quantity]))

/** The path of the instrumented Worker at which its readings are. */
export const readingPath = '/edgeplane-audit/reading'

/** The state of the counters of the instrumented Worker. */
export interface Reading {
  /** Since the start of the isolate. */
  readonly usage: Usage
  /** The requests to Durable Objects by class, and by verb or inner path. */
  readonly paths: Readonly<Record<string, number>>
  /** The Durable Objects that cannot hibernate now, with the reasons. */
  readonly held: Readonly<Record<string, readonly string[]>>
  /** The times of the alarms that are set, in milliseconds since the epoch, by object. */
  readonly alarmsDue: Readonly<Record<string, number>>
}
