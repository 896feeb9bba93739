/** Reads backups: lines of JSON in sections, one for each Durable Object (docs/backup-format.md). */
import { createHash } from 'node:crypto'
import { LauncherError } from '../launcher-error.ts'

/** The numbers of the formats that this release reads. */
const formats: readonly unknown[] = [1, 2]

/** A section of a backup: the contents of a Durable Object at one resourceVersion. */
export interface Section {
  readonly name: string
  readonly resourceVersion: number
  readonly objects: number
}

/** A complete backup. */
export interface BackupSummary {
  readonly release: string
  /** Milliseconds since the epoch. */
  readonly takenAt: number
  readonly sections: readonly Section[]
}

const newline = 0x0a

/** Splits bytes into lines, without their newlines. Texts may contain other line separators of Unicode. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      yield Buffer.concat([...parts.splice(0), chunk.subarray(start, end)]).toString('utf8')
      start = end + 1
    }
    if (start < chunk.length) parts.push(chunk.subarray(start))
  }
  if (parts.length > 0) throw torn('its last line is not complete')
}

const torn = (why: string): LauncherError => new LauncherError(`The backup cannot be used: ${why}.`)

interface OpenSection {
  readonly name: string
  readonly resourceVersion: number
  readonly hash: ReturnType<typeof createHash>
  objects: number
}

/** Checks a backup line by line: its sections, their hashes, and its end. */
export class BackupChecker {
  #header: { readonly release: string; readonly takenAt: number } | undefined
  readonly #sections: Section[] = []
  #open: OpenSection | undefined
  #isEnded = false

  /** Takes the next line. @throws LauncherError if no backup has it here */
  next(line: string): void {
    if (this.#isEnded) throw torn('something follows its end')
    if (this.#header === undefined) this.#header = headerIn(line)
    else if (line.startsWith('{"section":')) this.#begin(line)
    else if (line.startsWith('{"end":')) this.#end(line)
    else {
      if (this.#open === undefined) throw torn('a line belongs to no section')
      if (line.startsWith('{"object":')) this.#open.objects++
      this.#open.hash.update(`${line}\n`)
    }
  }

  /** Returns the summary after the last line. @throws LauncherError if the end is missing */
  summary(): BackupSummary {
    if (this.#header === undefined || !this.#isEnded) throw torn('its end is missing, it was not completed')
    return { ...this.#header, sections: this.#sections }
  }

  #begin(line: string): void {
    if (this.#open !== undefined) throw torn(`the end of ${this.#open.name} is missing`)
    const { section: name, resourceVersion } = fieldsIn(line)
    if (typeof name !== 'string' || typeof resourceVersion !== 'number') throw torn('a section has no name or version')
    this.#open = { name, resourceVersion, hash: createHash('sha256').update(`${line}\n`), objects: 0 }
  }

  #end(line: string): void {
    const { end, sha256, objects, sections } = fieldsIn(line)
    const open = this.#open
    if (open === undefined) {
      if (end !== 'backup' || sections !== this.#sections.length) throw torn('sections are missing')
      this.#isEnded = true
      return
    }
    if (end !== open.name || objects !== open.objects || sha256 !== open.hash.digest('hex')) {
      throw torn(`the contents of ${open.name} are not as they were written`)
    }
    this.#sections.push({ name: open.name, resourceVersion: open.resourceVersion, objects: open.objects })
    this.#open = undefined
  }
}

function fieldsIn(line: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(line) as Readonly<Record<string, unknown>>
  } catch {
    throw torn('a line is no JSON')
  }
}

function headerIn(line: string): { readonly release: string; readonly takenAt: number } {
  if (!line.startsWith('{"backup":"edgeplane",')) throw torn('it is no backup of edgeplane')
  const { format: found, release, takenAt } = fieldsIn(line)
  if (!formats.includes(found)) throw torn(`it has the format ${String(found)}, and this release reads ${formats.join(' and ')}`)
  return { release: String(release), takenAt: Date.parse(String(takenAt)) }
}
