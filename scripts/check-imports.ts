/**
 * Checks the imports of src: a room imports only rooms below it, no file is a barrel, one file alone opens connections. No file of the
 * repository is part of a cycle. Prints every violation; exit code 1 if there is one.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { cycles, importGraph } from './import-graph.ts'

const root = resolve(import.meta.dirname, '..')
const source = join(root, 'src')

/** The rooms, lowest first; rooms of one line do not import each other. */
const floors: readonly (readonly string[])[] = [
  ['go'],
  ['net', 'yaml'],
  ['meta'],
  ['schema', 'storage'],
  ['apply', 'patch', 'cel', 'protobuf', 'cbor'],
  ['catalog'],
  ['encoding'],
  ['clusters', 'migration'],
  ['config'],
  ['auth'],
  ['crd'],
  ['registry', 'testing'],
  ['controllers'],
  ['durable-objects', 'http'],
  ['worker.ts'],
]

/** Rooms that may import only the listed rooms. */
const narrow: Readonly<Record<string, readonly string[]>> = {
  storage: ['go', 'meta'],
  launcher: ['auth', 'clusters', 'config', 'go', 'migration', 'net', 'yaml'],
  console: [],
}

/** The manifests of the package beside src, which the Worker applies too. */
const manifests = '../manifests/'

/** The file that opens connections; those of named clusters are restricted. */
const connecting = 'clusters/webhooks/runtime-network.ts'

/** Rooms that no other room imports. */
const outside: ReadonlySet<string> = new Set(['launcher', 'console', 'worker.ts'])

const floorOf = new Map(floors.flatMap((rooms, floor) => rooms.map((room): [string, number] => [room, floor])))

/** Returns the room of a file, given relative to src. */
const roomOf = (file: string): string => file.split('/')[0] ?? ''

function files(): string[] {
  return readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((f) => f.endsWith('.ts') && !f.endsWith('.test.ts') && !f.endsWith('.fixture.ts'))
    .sort()
}

/** Returns the files of the repository of which none is part of a cycle. */
const checkedForCycles = (): string[] =>
  ['src', 'scripts', 'lab', 'test'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(?:ts|mjs)$/.test(file) && !file.includes('node_modules/'))
      .map((file) => join(folder, file)),
  )

function orderViolation(file: string, imported: string): string | undefined {
  const [from, to] = [roomOf(file), roomOf(imported)]
  if (from === to || imported.startsWith(manifests)) return undefined
  if (outside.has(to)) return `${file} imports ${imported}: nobody imports ${to}`
  const allowed = narrow[from]
  if (allowed !== undefined) return allowed.includes(to) ? undefined : `${file} imports ${imported}: ${from} may not import ${to}`
  const [above, below] = [floorOf.get(from), floorOf.get(to)]
  if (above === undefined || below === undefined)
    return `${file} imports ${imported}: ${above === undefined ? from : to} is no room of the map`
  return above > below ? undefined : `${file} imports ${imported}: ${to} is not below ${from}`
}

/** Whether a file opens connections beside the network of its cluster. */
const connects = (file: string): boolean =>
  file !== connecting && /from 'cloudflare:sockets'/.test(readFileSync(join(source, file), 'utf8'))

/** Whether a file contains only re-exports. */
function isBarrel(file: string): boolean {
  const text = readFileSync(join(source, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
  const statements = text.split('\n').filter((line) => line.trim() !== '')
  return statements.length > 0 && statements.every((line) => /^export\s.*\sfrom\s/.test(line))
}

const graph = importGraph(source, files())
const violations = [
  ...[...graph].flatMap(([file, imported]) => imported.map((to) => orderViolation(file, to)).filter((v) => v !== undefined)),
  ...cycles(importGraph(root, checkedForCycles())),
  ...[...graph.keys()].filter(connects).map((file) => `${file} opens connections: only ${connecting} does`),
  ...[...graph.keys()].filter(isBarrel).map((file) => `${file} only passes on what others export`),
]
for (const violation of violations) console.error(violation)
if (violations.length > 0) process.exit(1)
console.log(`imports of ${graph.size} files follow the map`)
