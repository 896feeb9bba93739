/** Breaks the path, query and headers of a request. */
import type { Choice, Weighted } from './choice.ts'
import * as dictionary from './dictionary.ts'
import * as headerDictionary from './header-dictionary.ts'

type SegmentBreaker = (choice: Choice, segments: string[], at: number) => void

const segmentBreakers: Weighted<SegmentBreaker> = [
  [8, (choice, segments, at) => segments.splice(at, 1, choice.one(dictionary.segments))],
  [3, (choice, segments, at) => segments.splice(at, 0, choice.one(dictionary.segments))],
  [3, (_, segments, at) => segments.splice(at, 1)],
  [2, (_, segments, at) => segments.splice(at, 0, segments[at] ?? '')],
  [2, (choice, segments) => segments.push(choice.one(dictionary.segments))],
  [1, (_, segments) => segments.push('')],
  [
    2,
    (choice, segments, at) => {
      const segment = segments[at] ?? ''
      const within = choice.below(segment.length + 1)
      const inserted = choice.one([
        '%00',
        '%2f',
        '%25',
        '%',
        '.',
        '..',
        '%e4',
        '\u00e4',
        ' ',
        '"',
        '<',
        '\\',
        ';',
        '^',
        '`',
        '%0a',
        '\u0000',
        '%7f',
      ])
      segments[at] = segment.slice(0, within) + inserted + segment.slice(within)
    },
  ],
  [
    1,
    (_, segments, at) => {
      const escaped = Array.from(Buffer.from(segments[at] ?? ''), (byte: number) => `%${byte.toString(16).padStart(2, '0')}`)
      segments[at] = escaped.join('')
    },
  ],
]

const split = (target: string): [path: string, query: string | undefined] => {
  const at = target.indexOf('?')
  return at < 0 ? [target, undefined] : [target.slice(0, at), target.slice(at + 1)]
}

const joined = (path: string, query: string | undefined): string => (query === undefined ? path : `${path}?${query}`)

/** Breaks one segment of the path. */
export function breakPath(choice: Choice, target: string): string {
  const [path, query] = split(target)
  const segments = path.split('/').slice(1)
  choice.weighted(segmentBreakers)(choice, segments, choice.below(segments.length))
  return joined(`/${segments.join('/')}`, query)
}

const parameterNames = Object.keys(dictionary.parameters)

/** Adds or removes a query parameter. */
export function breakQuery(choice: Choice, target: string): string {
  const [path, query = ''] = split(target)
  const parts = query === '' ? [] : query.split('&')
  if (parts.length > 0 && choice.happens(0.2)) parts.splice(choice.below(parts.length), 1)
  else {
    const name = choice.one(parameterNames)
    const value = choice.one(dictionary.parameters[name] ?? [''])
    parts.push(choice.happens(0.05) ? name : `${name}=${value.replaceAll(' ', '%20')}`)
  }
  return joined(path, parts.join(choice.happens(0.02) ? ';' : '&'))
}

export type Header = readonly [name: string, value: string]

const headerNames = Object.keys(headerDictionary.headers)

/** Common headers are broken more often. */
const oftenBroken: Weighted<readonly string[]> = [
  [5, ['accept']],
  [3, ['content-type']],
  [8, headerNames],
]

/** Sets one header, or those of an upgrade. */
export function breakHeaders(choice: Choice, headers: readonly Header[]): readonly Header[] {
  if (choice.happens(0.1)) return [...headers, ...choice.one(headerDictionary.handshakes)]
  const name = choice.one(choice.weighted(oftenBroken))
  const value = choice.one(headerDictionary.headers[name] ?? [''])
  // Sometimes the same header is sent twice.
  const kept = choice.happens(0.1) ? headers : headers.filter(([other]) => other.toLowerCase() !== name)
  return [...kept, [name, value]]
}
