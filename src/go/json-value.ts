/** JSON values in memory. */

/** A number that a double cannot hold, kept as digits. Comparisons use the nearest double; `JSON.stringify` writes the digits. */
export interface RawNumber {
  readonly rawJSON: string
}

export type JsonValue = null | boolean | number | string | RawNumber | JsonValue[] | JsonObject

/** An object with arbitrary keys, also `__proto__`: set them with `setKey` of go/json.ts. */
export interface JsonObject {
  [key: string]: JsonValue
}
