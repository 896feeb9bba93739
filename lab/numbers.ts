/** Prints the numbers by which the structure of the repository is judged. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { cycles, importGraph } from '../scripts/import-graph.ts'
import { columns, command, flag } from './command.ts'
import { codeOf } from './numbers/code.ts'
import { root } from './root.ts'

/** A file in the repository. */
interface File {
  readonly path: string
  readonly text: string
}

const maxFunctionLines = 60
const maxFileLines = 400

const committed = (): readonly File[] =>
  execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 })
    .split('\0')
    .filter((path) => path !== '')
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))

const linesOf = (text: string): number => text.split('\n').length - 1

const isCode = ({ path }: File): boolean => /\.(?:ts|tsx|mjs)$/.test(path) && !path.endsWith('.d.mts')
const isTest = ({ path }: File): boolean => /\.(?:test|fixture)\.tsx?$/.test(path)

/** Whether a program has written the file: it says so at its beginning, or stands in the folder for such files. */
const isGenerated = ({ path, text }: File): boolean =>
  path.startsWith('src/catalog/generated/') || /(?:Generated|Written) by /.test(text.slice(0, 300))

/** A number, with the places that it counts. */
interface Counted {
  readonly name: string
  readonly count: number
  readonly places: readonly string[]
}

const counted = (name: string, places: readonly string[]): Counted => ({ name, count: places.length, places })

/** Returns the places at which a pattern matches. */
const matches = (files: readonly File[], pattern: RegExp): string[] =>
  files.flatMap(({ path, text }) => {
    const ends = [...text.matchAll(pattern)].map(({ index }) => linesOf(text.slice(0, index)) + 1)
    return ends.map((line) => `${path}:${line}`)
  })

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)

function numbers(): readonly Counted[] {
  const files = committed()
  const source = files.filter((file) => file.path.startsWith('src/') && isCode(file))
  const product = source.filter((file) => !isTest(file) && !isGenerated(file))
  const code = product.map((file) => ({ ...file, ...codeOf(file.path, file.text) }))
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly scripts: object }
  const long = code.flatMap(({ path, functions }) =>
    functions.filter(({ lines }) => lines > maxFunctionLines).map(({ line, lines }) => `${path}:${line} has ${lines} lines`),
  )
  const graph = importGraph(
    root,
    files.filter(isCode).map(({ path }) => path),
  )
  const generated = files.filter((file) => file.path.startsWith('src/') && isGenerated(file))
  return [
    counted('…Host types in src', matches(product, /^(?:export )?(?:interface|type) \w+Host\b/gm)),
    counted('casts of json() in src', matches(product, /\.json\(\)\)? as /g)),
    { name: 'lines in the repository', count: sum(files.map(({ text }) => linesOf(text))), places: [] },
    { name: 'lines of src by hand, without tests', count: sum(product.map(({ text }) => linesOf(text))), places: [] },
    {
      name: 'bytes of generated files in src',
      count: sum(generated.map(({ text }) => Buffer.byteLength(text))),
      places: generated.map(({ path, text }) => `${path}: ${Buffer.byteLength(text)}`),
    },
    counted('npm scripts', Object.keys(scripts)),
    counted(
      'module-level let in src',
      code.flatMap(({ path, variables }) => variables.map((line) => `${path}:${line}`)),
    ),
    counted(`functions of src with more than ${maxFunctionLines} lines`, long),
    counted(
      `files of src with more than ${maxFileLines} lines`,
      product.filter(({ text }) => linesOf(text) > maxFileLines).map(({ path, text }) => `${path}: ${linesOf(text)}`),
    ),
    counted('import cycles in the repository', cycles(graph)),
  ]
}

export default command({
  options: { places: flag('lists the places of each number') },
  run({ places: isLong }) {
    for (const { name, count, places } of numbers()) {
      process.stdout.write(columns([[count.toLocaleString('en').padStart(9), name]]))
      if (isLong) for (const place of places) console.log(`               ${place}`)
    }
  },
})
