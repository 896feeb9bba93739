/** The output of the Go program `extract`: the Go sources as facts, without interpretation. */
import { execFileSync } from 'node:child_process'
import { extractFolder, type PackageSource } from './modules.ts'

/** A field of a struct with its tags. `type` has the format that src/schema/tables.ts describes. */
export interface FieldFacts {
  readonly name: string
  readonly embedded: boolean
  readonly type: string
  readonly json: string
  readonly protobuf: string
  readonly patchStrategy: string
  readonly patchMergeKey: string
  /** The lines of the comment that begin with '+', without the '+'. */
  readonly markers: readonly string[]
}

/** An exported type. If it is not a struct, `fields` is null and `expression` is its definition. */
export interface TypeFacts {
  readonly name: string
  readonly markers: readonly string[]
  readonly fields: readonly FieldFacts[] | null
  readonly expression: string
  /** Whether it has the method MarshalJSON or UnmarshalJSON. */
  readonly customJson: boolean
}

/** A constant: its text or, with an empty text, the constant of another package that it equals: `core/v1.IPv4Protocol`. */
export interface ValueFacts {
  readonly text: string
  readonly constant: string
}

/** The lifecycle of a type: its releases as [major, minor], and its replacement's group, version and kind. */
export interface LifecycleFacts {
  readonly introduced?: readonly number[]
  readonly deprecated?: readonly number[]
  readonly removed?: readonly number[]
  readonly replacement?: Readonly<Record<string, string>>
}

/** A Go package. */
export interface PackageFacts {
  /** `<package>/<version>`. */
  readonly name: string
  readonly groupName: string
  readonly types: readonly TypeFacts[]
  /** The string constants by name. */
  readonly constants: Readonly<Record<string, string>>
  /** The constants of each named string type. */
  readonly values: Readonly<Record<string, readonly ValueFacts[]>>
  /** The lifecycles by type. */
  readonly lifecycle: Readonly<Record<string, LifecycleFacts>>
  /** The resources of the typed clients by kind. */
  readonly clients: Readonly<Record<string, string>>
}

/**
 * Reads the packages with the Go program.
 * @throws Error if the program fails
 */
export function extractFacts(sources: readonly PackageSource[]): PackageFacts[] {
  const output = execFileSync('go', ['run', '.'], {
    cwd: extractFolder,
    encoding: 'utf8',
    input: JSON.stringify(sources),
    maxBuffer: 1 << 28,
  })
  return JSON.parse(output)
}

/** Returns the value of the marker `name`: the text after '=', '' for a marker without '=', undefined if the marker is absent. */
export function marker(markers: readonly string[], name: string): string | undefined {
  return markerValues(markers, name)[0]
}

/** Returns the values of all markers `name` in order. */
export function markerValues(markers: readonly string[], name: string): string[] {
  return markers.filter((line) => line === name || line.startsWith(`${name}=`)).map((line) => line.slice(name.length + 1).trim())
}
