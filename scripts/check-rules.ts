/**
 * Checks docs/internals/SPEC.md: each rule is cited by the title of a test, each citation is of a rule, and the files that the page
 * names exist. Prints every violation; exit code 1 if there is one.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
const page = 'docs/internals/SPEC.md'

/** Folders with tests. */
const tested = ['src', 'test', 'conformance']

/** Returns the files with titles: tests, and the parts of a contract that tests share. */
const testFiles = (): string[] =>
  tested.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((file) => join(folder, file))
      .filter((file) => file.endsWith('.test.ts') || /^test\/contract\/.*\.ts$/.test(file)),
  )

/** Returns the rules that a file cites, at the ends of titles: `'a title [W1, W2]'`. */
function citationsIn(text: string): string[] {
  const found = text.matchAll(/ \[([WVHFCM]\d+(?:, [WVHFCM]\d+)*)\](?=['"`])/g)
  return [...found].flatMap(([, rules = '']) => rules.split(', '))
}

const text = readFileSync(join(root, page), 'utf8')
const rules = [...text.matchAll(/^- \*\*([A-Z]\d+)\*\* /gm)].map(([, rule = '']) => rule)
const files = [...text.matchAll(/`([a-z][\w/-]*\/?[\w-]+\.(?:ts|json))`/g)].map(([, file = '']) => file)
const cited = new Map(testFiles().map((file) => [file, citationsIn(readFileSync(join(root, file), 'utf8'))]))
const all = new Set([...cited.values()].flat())

const violations = [
  ...rules.filter((rule, index) => rules.indexOf(rule) !== index).map((rule) => `${page}: ${rule} is there twice`),
  ...rules.filter((rule) => !all.has(rule)).map((rule) => `${page}: no test cites ${rule}`),
  ...[...cited].flatMap(([file, own]) =>
    own.filter((rule) => !rules.includes(rule)).map((rule) => `${file}: ${page} has no rule ${rule}`),
  ),
  ...files
    .filter((file) => ![file, join('src', file)].some((path) => existsSync(join(root, path))))
    .map((file) => `${page}: there is no file ${file}`),
]
for (const violation of violations) console.error(violation)
if (violations.length > 0 || rules.length === 0) process.exit(1)
console.log(`${rules.length} rules are cited by ${[...cited.values()].filter((own) => own.length > 0).length} files of tests`)
