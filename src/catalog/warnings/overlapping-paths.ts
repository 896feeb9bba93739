/** Finds files of a volume of which one is the other, or a directory above it. Follows checkForOverlap of k8s.io/kubernetes/pkg/api/pod. */

/** The path of a file and its source. */
export interface File {
  readonly path: string
  readonly source: string
}

/** A path of the volume, with its files. */
interface PathNode {
  readonly path: string
  /** The longest other path of the volume that is a directory above this one. */
  readonly parent: PathNode | undefined
  /** The different files at the path, and those below it, as far as they have been met, in their order. */
  readonly files: Met[]
  readonly below: Met[]
}

interface Met {
  readonly file: File
  /** Its place among the files of the volume. */
  readonly place: number
  /** The number of files that it overlapped when it was last met. */
  overlaps: number
}

function withoutSlashes(path: string): string {
  let end = path.length
  while (end > 0 && path[end - 1] === '/') end--
  return path.slice(0, end)
}

/**
 * Makes the nodes of the paths, each of which knows the nearest directory above it. Paths in the order of their texts follow the
 * directories above them, so that a stack of these suffices.
 */
function nodesOf(paths: Iterable<string>): Map<string, PathNode> {
  const nodes = new Map<string, PathNode>()
  const above: PathNode[] = []
  const directories = [...new Set(paths)].map((path) => `${path}/`).sort()
  for (const directory of directories) {
    let parent = above.at(-1)
    while (parent !== undefined && !directory.startsWith(`${parent.path}/`)) {
      above.pop()
      parent = above.at(-1)
    }
    const node: PathNode = { path: directory.slice(0, -1), parent, files: [], below: [] }
    nodes.set(node.path, node)
    above.push(node)
  }
  return nodes
}

function* nodesAbove({ parent }: PathNode): Generator<PathNode> {
  for (let node = parent; node !== undefined; node = node.parent) yield node
}

/**
 * Yields each file with each different earlier one that it overlaps, in the order of the files. A pair that comes again may be left
 * out. The work is linear in the length of all paths and the number of pairs: a caller that needs no more of them stops.
 */
export function* overlapsOf(files: readonly File[]): Generator<readonly [file: File, other: File]> {
  const trimmed = files.map(({ path, source }) => ({ path: withoutSlashes(path), source })).filter(({ path }) => path !== '')
  const nodes = nodesOf(trimmed.map(({ path }) => path))
  for (const [place, file] of trimmed.entries()) {
    const node = nodes.get(file.path)
    if (node === undefined) continue
    const directories = [...nodesAbove(node)]
    const overlaps = directories.reduce((sum, { files }) => sum + files.length, node.files.length + node.below.length)
    const same = node.files.find((met) => met.file.source === file.source)
    if (same?.overlaps === overlaps) continue
    const others = [...node.files, ...node.below, ...directories.flatMap((directory) => directory.files)]
    for (const other of others.sort((a, b) => a.place - b.place)) yield [file, other.file]
    if (same !== undefined) {
      same.overlaps = overlaps
      continue
    }
    const met: Met = { file, place, overlaps }
    node.files.push(met)
    for (const directory of directories) directory.below.push(met)
  }
}
