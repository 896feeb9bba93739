/** What the Go program `extract` prints: the Go sources as facts, before anything is concluded from them. */
import { execFileSync } from 'node:child_process'
import { extractFolder, type PackageSource } from './modules.ts'

/** A field of a struct with its tags; `type` is written as src/catalog/tables.ts explains. */
export interface FieldFacts {
  readonly name: string
  readonly embedded: boolean
  readonly type: string
  readonly json: string
  readonly protobuf: string
  readonly patchStrategy: string
  readonly patchMergeKey: string
  /** Lines of the comment that begin with '+', without it. */
  readonly markers: readonly string[]
}

/** An exported type. `fields` is null for one that is no struct; `expression` then says what it is. */
export interface TypeFacts {
  readonly name: string
  readonly markers: readonly string[]
  readonly fields: readonly FieldFacts[] | null
  readonly expression: string
  /** It has a MarshalJSON or an UnmarshalJSON. */
  readonly customJson: boolean
}

/** A constant: its text, or the constant of another package that it equals, `core/v1.IPv4Protocol`, and no text. */
export interface ValueFacts {
  readonly text: string
  readonly constant: string
}

/** The releases of a type's lifecycle: [major, minor], and the group, version and kind to use instead. */
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
  /** String constants. */
  readonly constants: Readonly<Record<string, string>>
  /** The constants of a named string, by its name. */
  readonly values: Readonly<Record<string, readonly ValueFacts[]>>
  /** By type. */
  readonly lifecycle: Readonly<Record<string, LifecycleFacts>>
  /** Resources of the typed clients, by kind. */
  readonly clients: Readonly<Record<string, string>>
}

/** Reads the packages with the Go program. Throws where it fails. */
export function extractFacts(sources: readonly PackageSource[]): PackageFacts[] {
  const output = execFileSync('go', ['run', '.'], {
    cwd: extractFolder,
    encoding: 'utf8',
    input: JSON.stringify(sources),
    maxBuffer: 1 << 28,
  })
  return JSON.parse(output)
}

/** The value of the marker `name`: the text after '=', or '' where there is none; undefined where it is absent. */
export function marker(markers: readonly string[], name: string): string | undefined {
  return markerValues(markers, name)[0]
}

/** The values of every marker `name`, in their order. */
export function markerValues(markers: readonly string[], name: string): string[] {
  return markers.filter((line) => line === name || line.startsWith(`${name}=`)).map((line) => line.slice(name.length + 1).trim())
}
