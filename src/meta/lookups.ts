/**
 * Lookups: facts that synchronous work (a commit, an encoder) needs and cannot wait for. The work throws MissingLookups, which
 * rolls it back; the facts are looked up outside of it, and the work runs again. Work that needs no such fact pays nothing.
 */

/** Ends the hold on a result: it may be forgotten. */
export type Release = () => void

/** The result of a lookup, and how its hold ends when the work is done. */
export interface Resolved<T> {
  readonly result: T
  readonly release?: Release
}

/**
 * A fact that the Durable Object finds out itself. Within one operation equal keys have equal results: a key names all that the
 * result depends on, so that an object which has changed between two attempts leads to another lookup.
 */
export interface ObjectLookup<T> {
  readonly where: 'object'
  readonly key: string
  /** Finds it out. Rejects with the error that the work is then refused with. */
  readonly resolve: () => Promise<Resolved<T>>
}

/** A fact that the Worker finds out. The lookup travels to it, and the result back with the next attempt, both as JSON. */
export interface WorkerLookup<T> {
  readonly where: 'worker'
  readonly key: string
  /** An object that holds all collections of its cluster finds it out itself. */
  readonly isFact?: true
  /** The resolver. */
  readonly name: string
  /** JSON. */
  readonly parameters: unknown
  /** Never set: it carries the type of the result. */
  readonly resultType?: T
}

/** A fact that synchronous work needs. */
export type Lookup<T> = ObjectLookup<T> | WorkerLookup<T>

/** Ends work whose lookups have no results yet. */
export class MissingLookups extends Error {
  readonly lookups: readonly Lookup<unknown>[]

  constructor(lookups: readonly Lookup<unknown>[]) {
    super(`lookups are missing: ${lookups.map(({ key }) => key.slice(0, 100)).join(', ')}`)
    this.lookups = lookups
  }

  /** The lookups that the Durable Object resolves. */
  get ofObject(): readonly ObjectLookup<unknown>[] {
    return this.lookups.filter((lookup) => lookup.where === 'object')
  }

  /** The lookups that the Worker resolves. */
  get ofWorker(): readonly WorkerLookup<unknown>[] {
    return this.lookups.filter((lookup) => lookup.where === 'worker')
  }
}

/** The results of one operation's lookups, by their keys. */
export class LookupResults {
  readonly #results: Map<string, unknown>

  /** @param known results that came with the operation, by the lookups' keys */
  constructor(known: Readonly<Record<string, unknown>> = {}) {
    this.#results = new Map(Object.entries(known))
  }

  /** Whether no lookup has a result. */
  get isEmpty(): boolean {
    return this.#results.size === 0
  }

  /**
   * Gives the result of a lookup.
   * @throws MissingLookups if it has none yet
   */
  get<T>(lookup: Lookup<T>): T {
    if (!this.#results.has(lookup.key)) throw new MissingLookups([lookup])
    return this.#results.get(lookup.key) as T
  }

  /**
   * Makes sure that all of these have results: the missing ones are looked up together.
   * @throws MissingLookups
   */
  require(lookups: readonly Lookup<unknown>[]): void {
    const missing = lookups.filter(({ key }) => !this.#results.has(key))
    if (missing.length > 0) throw new MissingLookups(missing)
  }

  set(key: string, result: unknown): void {
    this.#results.set(key, result)
  }
}

/** How often work runs at most, and for how long in milliseconds: its lookups depend on objects that others write meanwhile. */
const mostAttempts = 50
const patience = 60_000

/** The manner in which work is repeated. */
export interface Repetition {
  /** Resolves missing lookups, together if it can, and puts their results where the next attempt finds them. */
  readonly resolve: (missing: MissingLookups) => Promise<Release>
  /** Gives the error of work that needs another lookup again and again, or for too long. */
  readonly exhausted: () => Error
  /** The time at which nobody waits for the work any more, in milliseconds since the epoch. */
  readonly deadline?: number | undefined
  /** The missing lookups of a first attempt that has been made already. */
  readonly first?: MissingLookups
}

/**
 * Runs work, and again each time that its missing lookups have been resolved.
 * @throws the errors of the work and of the resolvers, and that of `exhausted`
 */
export async function withLookups<T>(
  work: () => Promise<T>,
  { resolve, exhausted, deadline = Number.POSITIVE_INFINITY, first }: Repetition,
): Promise<T> {
  const until = Math.min(Date.now() + patience, deadline)
  const releases: Release[] = []
  let missing = first
  try {
    for (let attempts = 0; attempts < mostAttempts; attempts++) {
      if (missing !== undefined && Date.now() >= until) break
      if (missing !== undefined) releases.push(await resolve(missing))
      try {
        return await work()
      } catch (error) {
        if (!(error instanceof MissingLookups)) throw error
        missing = error
      }
    }
    throw exhausted()
  } finally {
    for (const release of releases) release()
  }
}

/**
 * Resolves together the lookups that the Durable Object finds out itself.
 * @param results takes their results
 * @throws MissingLookups with the Worker's, if there are no others
 */
export async function resolveInObject(missing: MissingLookups, results?: LookupResults): Promise<Release> {
  const { ofObject } = missing
  if (ofObject.length === 0) throw missing
  const settled = await Promise.allSettled(ofObject.map(({ resolve }) => resolve()))
  const releases: Release[] = []
  const errors: unknown[] = []
  for (const [index, lookup] of ofObject.entries()) {
    const outcome = settled[index]
    if (outcome?.status === 'rejected') errors.push(outcome.reason)
    if (outcome?.status !== 'fulfilled') continue
    results?.set(lookup.key, outcome.value.result)
    if (outcome.value.release !== undefined) releases.push(outcome.value.release)
  }
  const release = (): void => {
    for (const each of releases) each()
  }
  if (errors.length === 0) return release
  release()
  throw errors[0]
}
