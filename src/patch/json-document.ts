/** The document under a JSON Patch. A container is copied when an operation first reaches into it. */
import { isObject } from '../go/json-object.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { sortedObject } from './decode.ts'

/** A value that contains others. */
export type Container = JsonObject | JsonValue[]

/** Whether the value is an object or an array. */
export function isContainer(value: JsonValue | undefined): value is Container {
  return Array.isArray(value) || isObject(value)
}

/** Whether the value is nested deeper than `limit`. Does not recurse, because operations can nest a document to any depth. */
export function nestsDeeperThan(value: JsonValue, limit: number): boolean {
  let level: Container[] = isContainer(value) ? [value] : []
  for (let depth = 0; level.length > 0; depth++) {
    if (depth >= limit) return true
    level = level.flatMap((container) => Object.values(container).filter(isContainer))
  }
  return false
}

/** Copies the containers that operations reach into, so that the input is never changed. */
export class JsonDocument {
  root: Container
  private readonly owned = new Set<Container>()

  constructor(root: Container) {
    this.root = this.own(root)
  }

  /** Returns a copy of the container that may be changed; the container itself if it is already such a copy. */
  own(container: Container): Container {
    if (this.owned.has(container)) return container
    const copy = Array.isArray(container) ? container.slice() : { ...container }
    this.owned.add(copy)
    return copy
  }

  /** Copies all containers of the value, whose depth must be bounded. */
  ownAll(value: JsonValue): JsonValue {
    if (!isContainer(value)) return value
    const copy = this.own(value)
    for (const [key, member] of Object.entries(copy)) if (isContainer(member)) setMember(copy, key, this.ownAll(member))
    return copy
  }

  /**
   * Returns the value independent of the document; the objects that operations reached into get sorted keys, as Go encodes maps.
   * The depth of the value must be bounded. Stops at containers that were not reached, because every path leads from the root and
   * so none below them was reached either.
   */
  detach(value: JsonValue): JsonValue {
    if (!isContainer(value) || !this.owned.has(value)) return value
    if (Array.isArray(value)) return value.map((element) => this.detach(element))
    return sortedObject(Object.entries(value).map(([key, member]) => [key, this.detach(member)] as const))
  }
}

/** Sets the member of an object, or the element of an array with the index `key`. */
export function setMember(container: Container, key: string, value: JsonValue): void {
  Object.defineProperty(container, key, { value, writable: true, enumerable: true, configurable: true })
}
