/** The imports of files, and their cycles. */
import { readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

/** The files that each file imports, relative to one folder. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>

/** Returns the files that the files import, including types. */
export const importGraph = (folder: string, files: readonly string[]): ImportGraph =>
  new Map(files.map((file) => [file, importsOf(folder, file)]))

function importsOf(folder: string, file: string): string[] {
  const text = readFileSync(join(folder, file), 'utf8')
  const imports = [
    ...text.matchAll(/^\s*(?:import|export)\b[^'"]*?from\s+'(\.[^']+)'/gm),
    ...text.matchAll(/import\(\s*'(\.[^']+)'/g),
  ]
  return imports.map(([, path = '']) => relative(folder, resolve(dirname(join(folder, file)), path)))
}

/** Returns one cycle through each file that is part of one, beginning with that file. */
export function cycles(graph: ImportGraph): string[] {
  const done = new Set<string>()
  const found: string[] = []
  const visit = (file: string, path: readonly string[]): void => {
    const at = path.indexOf(file)
    if (at >= 0) found.push(`cycle: ${[...path.slice(at), file].join(' -> ')}`)
    if (at >= 0 || done.has(file)) return
    for (const next of graph.get(file) ?? []) visit(next, [...path, file])
    done.add(file)
  }
  for (const file of graph.keys()) visit(file, [])
  return found
}
