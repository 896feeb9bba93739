/** The words of a lifecycle: `introduced=1.5 deprecated=1.8 removed=1.16 replacement=apps/v1.Deployment`. */
import type { Lifecycle, Release } from '../../src/schema/tables.ts'
import { fail, type Line, type OptionReader, option } from './lines.ts'

const write = (release: Release | undefined): string | undefined => release?.join('.')

function read(text: string, line: Line): Release {
  const [, major, minor] = /^(\d+)\.(\d+)$/.exec(text) ?? fail(line, `no release: ${text}`)
  return [Number(major), Number(minor)]
}

/** A kind of another version. */
type ForeignKind = NonNullable<Lifecycle['replacement']>

/** Writes a kind of another version: `apps/v1.Deployment`. */
export function writeKind({ group, version, kind }: ForeignKind): string {
  return `${group}/${version}.${kind}`
}

/** Reads a kind of another version. */
export function readKind(text: string, line: Line): ForeignKind {
  const [, group = '', version = '', kind = ''] = /^(.*)\/(\w+)\.(\w+)$/.exec(text) ?? fail(line, `no kind: ${text}`)
  return { group, version, kind }
}

/** Writes a lifecycle. */
export function lifecycleWords({ introduced, deprecated, removed, replacement }: Lifecycle): string[] {
  return [
    ...option('introduced', write(introduced)),
    ...option('deprecated', write(deprecated)),
    ...option('removed', write(removed)),
    ...option('replacement', replacement && writeKind(replacement)),
  ]
}

/** The readers of a lifecycle's words. */
export const lifecycleReaders: Readonly<Record<string, OptionReader<Lifecycle>>> = {
  introduced: (value, line) => ({ introduced: read(value, line) }),
  deprecated: (value, line) => ({ deprecated: read(value, line) }),
  removed: (value, line) => ({ removed: read(value, line) }),
  replacement: (value, line) => ({ replacement: readKind(value, line) }),
}
