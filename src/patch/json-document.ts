/** A document under JSON Patch: containers are copied when an operation first reaches into them. */
import { isObject } from '../go/json-object.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { sortedObject } from './decode.ts'

/** What a path of JSON Patch may lead into. */
export type Container = JsonObject | JsonValue[]

/** Whether the value is an object or an array. */
export function isContainer(value: JsonValue | undefined): value is Container {
  return Array.isArray(value) || isObject(value)
}

/** Whether the value nests deeper than `limit`. Does not recurse: operations can nest a document as deep as they like. */
export function nestsDeeperThan(value: JsonValue, limit: number): boolean {
  let level: Container[] = isContainer(value) ? [value] : []
  for (let depth = 0; level.length > 0; depth++) {
    if (depth >= limit) return true
    level = level.flatMap((container) => Object.values(container).filter(isContainer))
  }
  return false
}

/** Copies the containers of a document that operations reach into, so that what was given is never changed. */
export class JsonDocument {
  root: Container
  private readonly owned = new Set<Container>()

  constructor(root: Container) {
    this.root = this.own(root)
  }

  /** A copy of the container that may be changed; the same one where it is such a copy already. */
  own(container: Container): Container {
    if (this.owned.has(container)) return container
    const copy = Array.isArray(container) ? container.slice() : { ...container }
    this.owned.add(copy)
    return copy
  }

  /** Copies all containers of the value, which must not nest deep. */
  ownAll(value: JsonValue): JsonValue {
    if (!isContainer(value)) return value
    const copy = this.own(value)
    for (const [key, member] of Object.entries(copy)) if (isContainer(member)) setMember(copy, key, this.ownAll(member))
    return copy
  }

  /**
   * The value apart from the document, with the keys of the objects sorted that operations reached into, as Go writes
   * maps. The value must not nest deep. A container that nothing reached into holds none that something did, because
   * every path leads from the root.
   */
  detach(value: JsonValue): JsonValue {
    if (!isContainer(value) || !this.owned.has(value)) return value
    if (Array.isArray(value)) return value.map((element) => this.detach(element))
    return sortedObject(Object.entries(value).map(([key, member]) => [key, this.detach(member)] as const))
  }
}

/** Sets the member of an object, or the element of an array whose index is `key`. */
export function setMember(container: Container, key: string, value: JsonValue): void {
  Object.defineProperty(container, key, { value, writable: true, enumerable: true, configurable: true })
}
