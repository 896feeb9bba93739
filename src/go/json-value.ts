/** JSON in memory. */

/** A number that a double cannot hold, kept as its digits: in comparisons the nearest double; `JSON.stringify` writes the digits back. */
export interface RawNumber {
  readonly rawJSON: string
}

export type JsonValue = null | boolean | number | string | RawNumber | JsonValue[] | JsonObject

/** An object whose keys may be anything, `__proto__` too: set keys with `setKey` of go/json.ts. */
export interface JsonObject {
  [key: string]: JsonValue
}
