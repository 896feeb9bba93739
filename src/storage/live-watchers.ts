/** The index of the watchers that follow live events. It is looked up by key, so an event without watchers costs nothing. */
import { prefixesOf } from './key-range.ts'
import { JoinedEvents, type SharedEvent, type View } from './shared-event.ts'
import type { Watcher } from './watcher.ts'

/** Watchers with the same selection and representation; they get the same bytes. */
interface Group {
  readonly view: View
  readonly watchers: Set<Watcher>
}

/** The groups of one watched prefix or key, by selection and representation. */
class WatchTarget {
  readonly #groups = new Map<View['matches'], Map<string, Group>>()

  get empty(): boolean {
    return this.#groups.size === 0
  }

  *groups(): Iterable<Group> {
    for (const byEncoder of this.#groups.values()) yield* byEncoder.values()
  }

  /** Adds the watcher. @returns whether this made a new group */
  add(watcher: Watcher): boolean {
    const { matches, encoder } = watcher.view
    const byEncoder = this.#groups.get(matches) ?? new Map<string, Group>()
    this.#groups.set(matches, byEncoder)
    const group = byEncoder.get(encoder.name)
    if (group === undefined) byEncoder.set(encoder.name, { view: watcher.view, watchers: new Set([watcher]) })
    else group.watchers.add(watcher)
    return group === undefined
  }

  /** Removes the watcher. @returns whether this removed its group */
  delete(watcher: Watcher): boolean {
    const { matches, encoder } = watcher.view
    const byEncoder = this.#groups.get(matches)
    const group = byEncoder?.get(encoder.name)
    if (byEncoder === undefined || group === undefined) return false
    group.watchers.delete(watcher)
    if (group.watchers.size > 0) return false
    byEncoder.delete(encoder.name)
    if (byEncoder.size === 0) this.#groups.delete(matches)
    return true
  }
}

/** The events for one watcher. All watchers of a group get the same `joined`. */
export interface Delivery {
  readonly watcher: Watcher
  readonly joined: JoinedEvents
}

/**
 * Whether the group gets none of the events. An encoding error counts as something: each watcher of the group has to receive it.
 */
function showsNothing(joined: JoinedEvents): boolean {
  try {
    return joined.at(0) === undefined
  } catch {
    return false
  }
}

/** The live watchers, each indexed by the prefix or the single key that it watches. */
export class LiveWatchers {
  readonly #prefixes = new Map<string, WatchTarget>()
  readonly #keys = new Map<string, WatchTarget>()
  #groups = 0

  /** The number of groups. */
  get groups(): number {
    return this.#groups
  }

  add(watcher: Watcher): void {
    const [index, name] = this.#targetOf(watcher)
    const target = index.get(name) ?? new WatchTarget()
    index.set(name, target)
    if (target.add(watcher)) this.#groups++
  }

  delete(watcher: Watcher): void {
    const [index, name] = this.#targetOf(watcher)
    const target = index.get(name)
    if (target === undefined) return
    if (target.delete(watcher)) this.#groups--
    if (target.empty) index.delete(name)
  }

  /** Yields the watchers of each group. */
  *watchers(): Iterable<ReadonlySet<Watcher>> {
    for (const index of [this.#prefixes, this.#keys]) {
      for (const target of index.values()) for (const group of target.groups()) yield group.watchers
    }
  }

  /**
   * Yields each watcher that selects one of the events, once. Yields undefined for a group that selects none, because finding
   * that out took time.
   */
  *deliveries(events: readonly SharedEvent[], bytes: number): Generator<Delivery | undefined, undefined> {
    const eventsByTarget = new Map<WatchTarget, SharedEvent[]>()
    for (const shared of events) {
      for (const target of this.#targetsOf(shared.event.object.key)) {
        const known = eventsByTarget.get(target)
        if (known === undefined) eventsByTarget.set(target, [shared])
        else known.push(shared)
      }
    }
    for (const [target, targetEvents] of eventsByTarget) {
      for (const { view, watchers } of target.groups()) {
        const joined = new JoinedEvents(targetEvents, view, bytes)
        if (showsNothing(joined)) yield undefined
        else for (const watcher of watchers) yield { watcher, joined }
      }
    }
  }

  *#targetsOf(key: string): Iterable<WatchTarget> {
    for (const prefix of prefixesOf(key)) {
      const target = this.#prefixes.get(prefix)
      if (target !== undefined) yield target
    }
    const single = this.#keys.get(key)
    if (single !== undefined) yield single
  }

  #targetOf(watcher: Watcher): [index: Map<string, WatchTarget>, name: string] {
    const { key, prefix } = watcher.request
    return key === undefined ? [this.#prefixes, prefix] : [this.#keys, key]
  }
}
