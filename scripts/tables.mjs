// Makes src/catalog/generated, the TypeScript of the catalogue's tables, from the texts in src/catalog/tables. Needs no Go. The code
// that renders them is bundled and run, so that it works with every Node version that esbuild supports. Run by scripts/openapi.mjs;
// writes only files that have changed.

import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const renderer = 'scripts/tables/render-all.ts'

/** The folder of the texts. */
export const textFolder = join(root, 'src', 'catalog', 'tables')

const generatedFolder = join(root, 'src', 'catalog', 'generated')

/** Returns everything that the generated files follow from, by path: folders too, which change when a file is added. */
export function sources() {
  const folders = ['scripts/tables', 'src/catalog/tables']
  const files = folders.flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`))
  return ['scripts/tables.mjs', ...folders, ...files.filter((file) => !/\.(test\.ts|md)$/.test(file))]
}

/** Reads the texts, by the names of their files. */
export function readTexts() {
  const names = readdirSync(textFolder).filter((name) => name.endsWith('.txt'))
  return new Map(names.sort().map((name) => [name, readFileSync(join(textFolder, name), 'utf8')]))
}

/** Makes sure that the generated files are present and match the texts. */
export async function generate() {
  const { renderAll } = await import(`data:text/javascript;base64,${Buffer.from(await bundle()).toString('base64')}`)
  const files = renderAll(readTexts())
  const present = generatedFiles()
  for (const [name, text] of files) if (present.get(name) !== text) write(join(generatedFolder, name), text)
  for (const name of present.keys()) if (!files.has(name)) rmSync(join(generatedFolder, name), { force: true })
}

async function bundle() {
  const { build } = await import('esbuild')
  const { outputFiles } = await build({
    entryPoints: [join(root, renderer)],
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    write: false,
    logLevel: 'error',
  })
  return outputFiles[0].contents
}

/** Reads the files that are there, by path in their folder. */
function generatedFiles() {
  mkdirSync(generatedFolder, { recursive: true })
  const entries = readdirSync(generatedFolder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = entries.map((entry) => join(entry.parentPath ?? entry.path, entry.name)).filter((path) => !path.endsWith('.tmp'))
  return new Map(paths.map((path) => [relative(generatedFolder, path).replaceAll('\\', '/'), readFileSync(path, 'utf8')]))
}

// Another build may be reading or writing the file at the same time.
function write(path, text) {
  mkdirSync(dirname(path), { recursive: true })
  const temporary = `${path}.${process.pid}.tmp`
  writeFileSync(temporary, text)
  renameSync(temporary, path)
}
