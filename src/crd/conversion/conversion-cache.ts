/** A cache of webhook conversions: synchronous commits find their conversions here, or have them looked up. */
import { MissingLookups, type ObjectLookup, type Release } from '../../meta/lookups.ts'

/** The conversion of an object, as text, from one version to another. */
export interface Conversion {
  /** Names of versions: `v1`. */
  readonly from: string
  readonly to: string
  /** Without apiVersion, kind and resourceVersion. */
  readonly object: string
}

/** Converts objects from one version to another; results are in the same order. */
export type Convert = (from: string, to: string, objects: readonly string[]) => Promise<readonly string[]>

/** The maximum number of objects in one call. */
const objectsAtOnce = 500
/** The maximum number of UTF-16 units in one call, except for a single larger object. */
const unitsAtOnce = 4 * 1024 * 1024
/** How long an answer is considered current, in milliseconds. */
const freshMilliseconds = 1000
/** The maximum number of UTF-16 units in the cache. */
const maximumUnits = 16 * 1024 * 1024

interface Known {
  readonly text: string
  /** The time of the answer. */
  readonly at: number
  /** The number of operations that use it regardless of its age, because they have started with it. */
  holders: number
}

const nameOf = ({ from, to, object }: Conversion): string => `${from} ${to} ${object}`

/**
 * The cache of one state of one definition. A webhook may change its answers at any time: an answer is valid for a moment, and
 * for the operations that requested it. The least recently used entries are evicted first.
 */
export class ConversionCache {
  readonly #convert: Convert
  readonly #texts = new Map<string, Known>()
  readonly #failures = new Map<string, { readonly error: unknown; holders: number }>()
  #units = 0

  constructor(convert: Convert) {
    this.#convert = convert
  }

  /**
   * Returns a cached conversion.
   * @throws MissingLookups if it is not cached
   */
  get(conversion: Conversion): string {
    const known = this.#find(conversion)
    if (known === undefined) throw this.#missing([conversion])
    return known
  }

  /**
   * Returns a cached conversion, for operations that can continue without it.
   * @throws MissingLookups if it is not cached; in the repeated run the webhook's error, if it failed
   */
  attempt(conversion: Conversion): string {
    const known = this.#find(conversion)
    if (known !== undefined) return known
    const failure = this.#failures.get(nameOf(conversion))
    if (failure !== undefined) throw failure.error
    const held = async (): Promise<Release> => {
      try {
        await this.#fetch([conversion])
        return this.#hold([conversion])
      } catch (error) {
        return this.#fail(conversion, error)
      }
    }
    throw new MissingLookups([lookupOf([conversion], held)])
  }

  /**
   * Checks that all conversions are cached.
   * @throws MissingLookups if any is not cached: all missing ones are fetched together
   */
  require(conversions: readonly Conversion[]): void {
    const unknown = conversions.filter((each) => this.#find(each) === undefined)
    if (unknown.length > 0) throw this.#missing(unknown)
  }

  /** Returns any number of conversions; missing ones are fetched. */
  async all(conversions: readonly Conversion[]): Promise<readonly string[]> {
    const known = conversions.map((each) => this.#find(each))
    const unknown = conversions.filter((_, i) => known[i] === undefined)
    const fetched = (await this.#fetch(unknown)).values()
    return known.map((text) => text ?? fetched.next().value ?? '')
  }

  #missing(unknown: readonly Conversion[]): MissingLookups {
    const held = async (): Promise<Release> => {
      await this.#fetch(unknown)
      return this.#hold(unknown)
    }
    return new MissingLookups([lookupOf(unknown, held)])
  }

  /** Records a failure for the operation that requested the conversion, until it releases it. */
  #fail(conversion: Conversion, error: unknown): Release {
    const name = nameOf(conversion)
    const failure = this.#failures.get(name) ?? { error, holders: 0 }
    failure.holders++
    this.#failures.set(name, failure)
    return () => {
      if (--failure.holders === 0) this.#failures.delete(name)
    }
  }

  #hold(conversions: readonly Conversion[]): Release {
    const used = conversions.flatMap((each) => this.#texts.get(nameOf(each)) ?? [])
    for (const known of used) known.holders++
    return () => {
      for (const known of used) known.holders--
    }
  }

  async #fetch(unknown: readonly Conversion[]): Promise<readonly string[]> {
    const texts = new Map<Conversion, string>()
    for (const call of callsOf(unknown)) {
      const [{ from, to } = { from: '', to: '' }] = call
      const converted = await this.#convert(
        from,
        to,
        call.map(({ object }) => object),
      )
      for (const [i, conversion] of call.entries()) {
        const text = converted[i] ?? ''
        texts.set(conversion, text)
        this.#keep(conversion, text)
      }
    }
    return unknown.map((each) => texts.get(each) ?? '')
  }

  #find(conversion: Conversion): string | undefined {
    const name = nameOf(conversion)
    const known = this.#texts.get(name)
    if (known === undefined || (known.holders === 0 && Date.now() - known.at > freshMilliseconds)) return undefined
    this.#texts.delete(name)
    this.#texts.set(name, known)
    return known.text
  }

  /** Caches an answer, even if it alone exceeds the limit: an operation waits for it. */
  #keep(conversion: Conversion, text: string): void {
    const name = nameOf(conversion)
    this.#forget(name)
    for (const oldest of this.#texts.keys()) {
      if (this.#units + name.length + text.length <= maximumUnits) break
      this.#forget(oldest)
    }
    this.#texts.set(name, { text, at: Date.now(), holders: 0 })
    this.#units += name.length + text.length
  }

  #forget(name: string): void {
    const known = this.#texts.get(name)
    if (known === undefined) return
    this.#texts.delete(name)
    this.#units -= name.length + known.text.length
  }
}

/** Nothing is read by the key: the results stay in the cache, where the work that runs again finds them as long as they are held. */
const lookupOf = (conversions: readonly Conversion[], hold: () => Promise<Release>): ObjectLookup<undefined> => ({
  where: 'object',
  key: `conversion of ${conversions.length} objects`,
  resolve: async () => ({ result: undefined, release: await hold() }),
})

/** Groups conversions between the same versions into calls within the limits. */
function* callsOf(conversions: readonly Conversion[]): Generator<readonly Conversion[]> {
  const ways = Map.groupBy(conversions, ({ from, to }) => `${from} ${to}`)
  for (const way of ways.values()) {
    let call: Conversion[] = []
    let units = 0
    for (const conversion of way) {
      const isFull = call.length === objectsAtOnce || units + conversion.object.length > unitsAtOnce
      if (call.length > 0 && isFull) {
        yield call
        call = []
        units = 0
      }
      call.push(conversion)
      units += conversion.object.length
    }
    if (call.length > 0) yield call
  }
}
