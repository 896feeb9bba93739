/**
 * Checks that no document, workflow or text of the program lets a reader run or install a package of this repository by a name that
 * no registry has under our control: anybody could take the name, and would run code on the reader's machine. Prints every violation
 * with its place; exit code 1 if there is one. A name that is published is removed from the list.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')

/** The packages of this repository that are in no registry. */
const unpublished = ['edgeplane', 'pytest-edgeplane', 'edgeplane-test', 'edgeplane-junit', 'create-edgeplane']

/** Files and folders whose texts people read or run. */
const checked = [
  ...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'package.json', '.ci'],
  ...['action', 'bin', 'docs', 'conformance', 'kits', 'man', 'manifests', 'scripts', 'lab', 'src', 'test'],
]

/** Generated and recorded files, files of packages, and this one. */
const skipped = /(^|\/)(node_modules|generated|target|check-packages\.ts)(\/|$)|\.(?:json|jsonl|png)$/

/** A name, which is no part of a path or a file, as are `./edgeplane-0.1.0.tgz` and `edgeplane.dev`. */
const name = `(?:${unpublished.join('|')})(?![\\w./-])`

/** The arguments of a command up to a name, within the line and the command. */
const before = String.raw`[^\n\x60;&|]*?(?<![\w./-])`

/** Commands that ask a registry, with the way to run what is installed. */
const forbidden: readonly (readonly [RegExp, string])[] = [
  [
    new RegExp(String.raw`\b(?:npx|npm (?:exec|x)|bunx)\s+(?!--no-install )${before}${name}`, 'g'),
    'npx --no-install runs what is installed, and asks no registry',
  ],
  [
    new RegExp(String.raw`\b(?:npm|yarn|pnpm|bun) (?:i|install|add|create|dlx|init)\s+${before}${name}`, 'g'),
    'install the tarball of npm pack',
  ],
  [new RegExp(String.raw`\b(?:pip3? install|uv add|cargo (?:add|install))\s+${before}${name}`, 'g'), 'install from a path'],
]

function filesIn(path: string): string[] {
  if (statSync(path).isFile()) return [path]
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    const inner = join(path, entry.name)
    if (skipped.test(relative(root, inner))) return []
    return entry.isDirectory() ? filesIn(inner) : [inner]
  })
}

const files = checked.flatMap((path) => filesIn(join(root, path)))
let violations = 0
for (const file of files) {
  const text = readFileSync(file, 'utf8')
  for (const [command, advice] of forbidden) {
    for (const match of text.matchAll(command)) {
      violations++
      console.error(`${relative(root, file)}:${text.slice(0, match.index).split('\n').length}: ${match[0]}: ${advice}`)
    }
  }
}
if (violations > 0) process.exit(1)
console.log(`${files.length} files name no package that is in no registry`)
