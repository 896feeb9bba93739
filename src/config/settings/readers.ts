/** Readers of simple settings. Their errors continue the name of the setting. */
import { parseDuration } from '../../go/duration.ts'
import type { Rate } from '../../meta/token-buckets.ts'

/** Returns a reader of one of several words. */
export const oneOf =
  <T extends string>(...words: readonly T[]) =>
  (text: string): T => {
    const word = words.find((one) => one === text)
    if (word !== undefined) return word
    throw new Error(`must be one of ${words.join(', ')}, not ${JSON.stringify(text)}`)
  }

/** Returns a reader of one of several words, or of none. */
export const optionalOneOf =
  <T extends string>(...words: readonly T[]) =>
  (text: string): T | undefined =>
    text === '' ? undefined : oneOf(...words)(text)

/** Returns a reader of a whole number. @param unit the noun after "a number of" in the error */
export const integer =
  (unit: string, { from, to }: { readonly from: number; readonly to: number }) =>
  (text: string): number => {
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= from && value <= to) return value
    throw new Error(`must be a number of ${unit} from ${from} to ${to}, not ${JSON.stringify(text)}`)
  }

/** Reads a list whose entries are separated by commas. */
export const list = (text: string): readonly string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')

/** Reads `enabled` or nothing. */
export function enabled(text: string): boolean {
  if (text === '' || text === 'enabled') return text === 'enabled'
  throw new Error(`must be enabled or absent, not ${JSON.stringify(text)}`)
}

/** Reads `RATE` or `RATE:BURST`, in requests per second; '' for no limit. */
export function rate(text: string): Rate | undefined {
  if (text === '') return undefined
  const [, perSecond = '', burst] = /^(\d+(?:\.\d+)?)(?::(\d+))?$/.exec(text) ?? []
  const value = { perSecond: Number(perSecond), burst: Number(burst ?? Math.ceil(Number(perSecond) * 2)) }
  if (value.perSecond > 0 && value.burst >= 1) return value
  throw new Error(`a rate is REQUESTS_PER_SECOND or REQUESTS_PER_SECOND:BURST, not ${JSON.stringify(text)}`)
}

/** Reads a duration of Go. @returns milliseconds */
export function duration(text: string): number {
  const milliseconds = Number(parseDuration(text)) / 1e6
  if (milliseconds < 0) throw new Error(`must not be negative, as ${text} is`)
  return milliseconds
}

/** Returns a reader of a number of seconds as Go's ParseInt, with its error. @param flag kube-apiserver's */
export const goSeconds =
  (flag: string) =>
  (text: string): number => {
    const seconds = Number(text)
    if (/^[+-]?\d+$/.test(text) && Number.isSafeInteger(seconds)) return seconds
    throw new Error(`invalid argument "${text}" for "--${flag}" flag: strconv.ParseInt: parsing "${text}": invalid syntax`)
  }

/** A name of a host: labels separated by dots. */
const domainName = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/

/** Reads the domain of hosts; '' for none. */
export function domain(text: string): string {
  if (text === '' || domainName.test(text)) return text
  throw new Error(`must be a domain in lower case such as clusters.example.com, not ${JSON.stringify(text)}`)
}

/** The address at which the cluster's own workloads reach the server. */
export interface AdvertisedAddress {
  readonly ip: string
  readonly port: number
}

/** Reads `10.1.2.3:6443` or `[fd00::1]:6443`; undefined for anything else. */
export function advertisedAddress(text: string): AdvertisedAddress | undefined {
  const [, ip = '', port = ''] = /^\[?([0-9a-f.:]+?)\]?:(\d+)$/i.exec(text) ?? []
  return ip === '' ? undefined : { ip, port: Number(port) }
}
