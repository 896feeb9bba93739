/** Objects that webhooks have converted: synchronous work finds them here, or has them looked up. */
import { MissingLookups, type ObjectLookup, type Release } from '../../meta/lookups.ts'

/** An object as a text, on its way from one version to another. */
export interface Conversion {
  /** Names of versions: `v1`. */
  readonly from: string
  readonly to: string
  /** Without apiVersion and kind, and without a resourceVersion. */
  readonly object: string
}

/** Converts objects that go the same way; answers in their order. */
export type Convert = (from: string, to: string, objects: readonly string[]) => Promise<readonly string[]>

/** Objects that are sent in one call. */
const objectsAtOnce = 500
/** UTF-16 units that are sent in one call, unless a single object has more. */
const unitsAtOnce = 4 * 1024 * 1024
/** For how long an answer is taken for what the webhook would say now, in milliseconds. */
const freshMilliseconds = 1000
/** UTF-16 units of texts that are kept. */
const maximumUnits = 16 * 1024 * 1024

interface Known {
  readonly text: string
  /** When it came. */
  readonly at: number
  /** How many need it, however old it is: what is done with it has begun with it. */
  holders: number
}

const nameOf = ({ from, to, object }: Conversion): string => `${from} ${to} ${object}`

/**
 * Of one definition, in one state of it. A webhook may change what it says at any time: its answers are true for a moment, and
 * for the work that they were asked for. The least recently used are forgotten first.
 */
export class ConversionCache {
  readonly #convert: Convert
  readonly #texts = new Map<string, Known>()
  readonly #failures = new Map<string, { readonly error: unknown; holders: number }>()
  #units = 0

  constructor(convert: Convert) {
    this.#convert = convert
  }

  /** @throws MissingLookups if it is not known */
  get(conversion: Conversion): string {
    const known = this.#find(conversion)
    if (known === undefined) throw this.#missing([conversion])
    return known
  }

  /** @throws MissingLookups if it is not known, and then the webhook's error, which ends nothing by itself */
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

  /** @throws MissingLookups if one of them is not known: all that are not are fetched together */
  require(conversions: readonly Conversion[]): void {
    const unknown = conversions.filter((each) => this.#find(each) === undefined)
    if (unknown.length > 0) throw this.#missing(unknown)
  }

  /** All of them, however many: what is not known is fetched. */
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

  /** Only the work that has asked knows of the failure. */
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
    const held = conversions.flatMap((each) => this.#texts.get(nameOf(each)) ?? [])
    for (const known of held) known.holders++
    return () => {
      for (const known of held) known.holders--
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

  /** What has just come is kept, however large it is: somebody waits for it. */
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

/** What goes the same way goes in one call, as far as that is not too much. */
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
