/** The items of a controller that are due at a time. They are stored, so that an eviction forgets neither them nor their attempts. */

/** The time of an item's next attempt in milliseconds since the epoch, and the number of attempts so far. */
export interface Due {
  readonly at: number
  readonly attempt: number
}

/**
 * The due items of one controller.
 * @example
 * const items = new DueItems(ctx.storage, 'namespaces')
 * items.set('shop', { at: Date.now(), attempt: 0 }) // in the turn of the commit that deletes the namespace
 * for (const [name, { attempt }] of items.dueAt(Date.now())) items.set(name, { at: Date.now() + 1000, attempt: attempt + 1 })
 */
export class DueItems {
  readonly #kv: SyncKvStorage
  readonly #prefix: string
  readonly #items = new Map<string, Due>()

  /** @param controller the name of the controller, unique in the Durable Object */
  constructor({ kv }: Pick<DurableObjectStorage, 'kv'>, controller: string) {
    this.#kv = kv
    this.#prefix = `due/${controller}/`
    for (const [key, due] of kv.list<Due>({ prefix: this.#prefix })) this.#items.set(key.slice(this.#prefix.length), due)
  }

  has(name: string): boolean {
    return this.#items.has(name)
  }

  set(name: string, due: Due): void {
    this.#items.set(name, due)
    this.#kv.put(this.#prefix + name, due)
  }

  delete(name: string): void {
    if (this.#items.delete(name)) this.#kv.delete(this.#prefix + name)
  }

  /** Returns the items that are due. */
  dueAt(now: number): [string, Due][] {
    return [...this.#items].filter(([, { at }]) => at <= now)
  }

  /** Returns when the first item is due, in milliseconds since the epoch; undefined without items. */
  nextAlarm(): number | undefined {
    let next: number | undefined
    for (const { at } of this.#items.values()) if (next === undefined || at < next) next = at
    return next
  }
}
