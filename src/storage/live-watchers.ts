/** The watchers that follow live, found by the keys of events: what nobody watches costs nothing. */
import { prefixesOf } from './key-range.ts'
import { JoinedEvents, type SharedEvent, type View } from './shared-event.ts'
import type { Watcher } from './watcher.ts'

/** Watchers that see every event alike, and so get the same bytes. */
interface Group {
  readonly view: View
  readonly watchers: Set<Watcher>
}

/** The groups at one prefix or one key, by selection and representation. */
class Place {
  readonly #groups = new Map<View['matches'], Map<string, Group>>()

  get empty(): boolean {
    return this.#groups.size === 0
  }

  *groups(): Iterable<Group> {
    for (const ofSelection of this.#groups.values()) yield* ofSelection.values()
  }

  /** Whether a new group was made. */
  add(watcher: Watcher): boolean {
    const { matches, encoder } = watcher.view
    const ofSelection = this.#groups.get(matches) ?? new Map<string, Group>()
    this.#groups.set(matches, ofSelection)
    const group = ofSelection.get(encoder.name)
    if (group === undefined) ofSelection.set(encoder.name, { view: watcher.view, watchers: new Set([watcher]) })
    else group.watchers.add(watcher)
    return group === undefined
  }

  /** Whether its group is gone. */
  delete(watcher: Watcher): boolean {
    const { matches, encoder } = watcher.view
    const ofSelection = this.#groups.get(matches)
    const group = ofSelection?.get(encoder.name)
    if (ofSelection === undefined || group === undefined) return false
    group.watchers.delete(watcher)
    if (group.watchers.size > 0) return false
    ofSelection.delete(encoder.name)
    if (ofSelection.size === 0) this.#groups.delete(matches)
    return true
  }
}

/** Events that a watcher gets. Watchers that see alike get the same `joined`. */
export interface Delivery {
  readonly watcher: Watcher
  readonly joined: JoinedEvents
}

/** A failure is something: each watcher of the group is told of it. */
function showsNothing(joined: JoinedEvents): boolean {
  try {
    return joined.at(0) === undefined
  } catch {
    return false
  }
}

/** A watcher stands at one place: the prefix that it watches, or the single key. */
export class LiveWatchers {
  readonly #prefixes = new Map<string, Place>()
  readonly #keys = new Map<string, Place>()
  #groups = 0

  /** How many groups see different bytes. */
  get groups(): number {
    return this.#groups
  }

  add(watcher: Watcher): void {
    const [index, name] = this.#placeOf(watcher)
    const place = index.get(name) ?? new Place()
    index.set(name, place)
    if (place.add(watcher)) this.#groups++
  }

  delete(watcher: Watcher): void {
    const [index, name] = this.#placeOf(watcher)
    const place = index.get(name)
    if (place === undefined) return
    if (place.delete(watcher)) this.#groups--
    if (place.empty) index.delete(name)
  }

  /** Each watcher that the events concern, once; undefined for a group that they do not concern, which took time to find out. */
  *deliveries(events: readonly SharedEvent[], bytes: number): Generator<Delivery | undefined, undefined> {
    const wanted = new Map<Place, SharedEvent[]>()
    for (const shared of events) {
      for (const place of this.#placesOf(shared.event.object.key)) {
        const known = wanted.get(place)
        if (known === undefined) wanted.set(place, [shared])
        else known.push(shared)
      }
    }
    for (const [place, ofPlace] of wanted) {
      for (const { view, watchers } of place.groups()) {
        const joined = new JoinedEvents(ofPlace, view, bytes)
        if (showsNothing(joined)) yield undefined
        else for (const watcher of watchers) yield { watcher, joined }
      }
    }
  }

  *#placesOf(key: string): Iterable<Place> {
    for (const prefix of prefixesOf(key)) {
      const place = this.#prefixes.get(prefix)
      if (place !== undefined) yield place
    }
    const single = this.#keys.get(key)
    if (single !== undefined) yield single
  }

  #placeOf(watcher: Watcher): [index: Map<string, Place>, name: string] {
    const { key, prefix } = watcher.request
    return key === undefined ? [this.#prefixes, prefix] : [this.#keys, key]
  }
}
