/** The text with the resources of each release of Kubernetes: src/catalog/tables/releases.txt, which record-releases.ts writes. */
import type { Lifecycle } from '../../src/schema/tables.ts'
import { lifecycleReaders, lifecycleWords } from './lifecycle-words.ts'
import { type Block, blocksOf, type Line, type OptionReader, oneOf, option, readOptions, wordAt, writeBlock } from './lines.ts'

/** A resource in one version. */
export interface ResourceFacts {
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly kind: string
  readonly namespaced: boolean
}

/** A resource over all releases. Spans of releases are texts: `1.15-1.17,1.30`. */
export interface ReleaseResource extends ResourceFacts {
  /** The releases that can serve it. */
  readonly releases: string
  /** The releases that serve it by default; empty if none does. */
  readonly onByDefault: string
  /** The facts of the Go type. */
  readonly lifecycle?: Lifecycle
}

/** The contents of releases.txt. */
export interface ReleaseFacts {
  readonly resources: readonly ReleaseResource[]
  /** By `<group>/<version>`: the group's and the version's priority, with the releases in which they are so. */
  readonly priorities: Readonly<Record<string, Readonly<Record<string, string>>>>
}

const PRIORITY = 'priority'

function resourceWords({ resource, kind, namespaced, releases, onByDefault, lifecycle }: ReleaseResource): string[] {
  const defaults = option('default', onByDefault === releases ? undefined : onByDefault)
  return [resource, kind, namespaced ? 'namespaced' : 'cluster', releases, ...defaults, ...lifecycleWords(lifecycle ?? {})]
}

const readers: Readonly<Record<string, OptionReader<{ default: string }>>> = { default: (value) => ({ default: value }) }

function readResource({ group, version }: { group: string; version: string }, line: Line): ReleaseResource {
  const releases = wordAt(line, 3, 'releases')
  const words = line.words.slice(4)
  const isDefault = (word: string): boolean => word.startsWith('default=')
  const { default: onByDefault = releases } = readOptions(line, words.filter(isDefault), readers)
  const lifecycle = readOptions(
    line,
    words.filter((word) => !isDefault(word)),
    lifecycleReaders,
  )
  return {
    ...{ group, version, resource: wordAt(line, 0, 'resource'), kind: wordAt(line, 1, 'kind') },
    namespaced: oneOf(wordAt(line, 2, 'scope'), ['namespaced', 'cluster'], line) === 'namespaced',
    ...{ releases, onByDefault },
    ...(Object.keys(lifecycle).length === 0 ? {} : { lifecycle }),
  }
}

/** Writes releases.txt. */
export function writeReleases({ resources, priorities }: ReleaseFacts): string {
  const versions = Map.groupBy(resources, ({ group, version }) => `${group}/${version}`)
  const blocks = [...versions].map(([version, rows]) => {
    const lines = Object.entries(priorities[version] ?? {}).map(([values, releases]) => [PRIORITY, values, releases])
    return writeBlock([version], [...lines, ...rows.map(resourceWords)])
  })
  return blocks.join('\n')
}

function readPriorities({ lines }: Block): Record<string, string> {
  const rows = lines.filter(({ words }) => words[0] === PRIORITY)
  return Object.fromEntries(rows.map(({ words: [, group, version, releases = ''] }) => [`${group} ${version}`, releases]))
}

/**
 * Reads releases.txt.
 * @throws Error with file and line if something in it is not known
 */
export function readReleases(file: string, text: string): ReleaseFacts {
  const blocks = blocksOf(file, text).map((block) => {
    const name = wordAt(block, 0, 'version')
    const [group = '', version = ''] = name.split('/')
    return { block, name, group, version }
  })
  return {
    resources: blocks.flatMap(({ block, ...names }) =>
      block.lines.filter(({ words }) => words[0] !== PRIORITY).map((line) => readResource(names, line)),
    ),
    priorities: Object.fromEntries(
      blocks.map(({ block, name }) => [name, readPriorities(block)] as const).filter(([, rows]) => Object.keys(rows).length > 0),
    ),
  }
}
