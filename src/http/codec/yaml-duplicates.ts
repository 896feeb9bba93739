/** Keys that a YAML mapping has more than once, as a strict reader complains of them. Follows go.yaml.in/yaml/v2. */
import { EVENT_ID, type Event, getScalarValue, type ScalarEvent } from 'js-yaml'
import { goQuote } from '../../meta/go-text.ts'
import { MAX_STRICT_ERRORS } from '../../meta/json-duplicates.ts'

/** A collection that is open while its events pass. */
interface Frame {
  /** The keys of a mapping so far; absent for sequences and the document. */
  readonly keys?: Set<string>
  /** The key whose value comes next; undefined where a key does. */
  key: string | undefined
}

function lineOf(source: string, position: number): number {
  let line = 1
  for (let at = source.indexOf('\n'); at !== -1 && at < position; at = source.indexOf('\n', at + 1)) line++
  return line
}

class DuplicateSearch {
  readonly found: string[] = []
  private readonly source: string
  private readonly frames: Frame[] = []
  private readonly anchored = new Map<string, ReadonlySet<string>>()

  constructor(source: string) {
    this.source = source
  }

  visit(event: Event): void {
    const frame = this.frames.at(-1)
    if (event.type === EVENT_ID.POP) this.frames.pop()
    else if (event.type === EVENT_ID.SCALAR) this.visitScalar(event, frame)
    else if (event.type === EVENT_ID.ALIAS) this.visitAlias(this.source.slice(event.anchorStart, event.anchorEnd), frame)
    else {
      const keys = event.type === EVENT_ID.MAPPING ? new Set<string>() : undefined
      if (keys !== undefined && event.type === EVENT_ID.MAPPING && event.anchorStart >= 0) {
        this.anchored.set(this.source.slice(event.anchorStart, event.anchorEnd), keys)
      }
      this.advance(frame, '')
      this.frames.push({ ...(keys && { keys }), key: undefined })
    }
  }

  /** Takes a node as the key or the value that it is. */
  private advance(frame: Frame | undefined, key: string): void {
    if (frame?.keys === undefined) return
    frame.key = frame.key === undefined ? key : undefined
  }

  private visitScalar(event: ScalarEvent, frame: Frame | undefined): void {
    if (frame?.keys !== undefined && frame.key === undefined) {
      const key = getScalarValue(this.source, event)
      if (frame.keys.has(key) && this.found.length < MAX_STRICT_ERRORS) {
        this.found.push(`line ${lineOf(this.source, event.valueStart)}: key ${goQuote(key)} already set in map`)
      }
      if (key !== '<<') frame.keys.add(key)
      this.advance(frame, key)
    } else this.advance(frame, '')
  }

  private visitAlias(name: string, frame: Frame | undefined): void {
    if (frame?.keys !== undefined && frame.key === '<<') {
      for (const key of this.anchored.get(name) ?? []) frame.keys.add(key)
    }
    this.advance(frame, '')
  }
}

/** `line 7: key "a" already set in map` for each such key, in their order; no more than a strict reader reports. */
export function duplicateKeys(events: readonly Event[], source: string): string[] {
  const search = new DuplicateSearch(source)
  for (const event of events) search.visit(event)
  return search.found
}
