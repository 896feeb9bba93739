import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commands } from './commands.ts'
import { root } from './root.ts'

const read = (file: string): string => readFileSync(join(root, file), 'utf8')

const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: Readonly<Record<string, string>> }

/** The texts that name commands to their readers. */
const documents = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', '.ci/run'],
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
].map((file): [string, string] => [file, read(file)])

test('docs/lab.md lists the commands as `npm run lab` does', () => {
  const rows = Object.entries(commands).map(([name, { summary }]) => `| \`${name}\` | ${summary} |\n`)
  expect(read('docs/lab.md')).toContain(`| command | purpose |\n|---|---|\n${rows.join('')}`)
})

test('the commands are in the order of their names', () => {
  expect(Object.keys(commands)).toEqual(Object.keys(commands).toSorted())
})

test('every npm script has its program', () => {
  const programs = Object.values(scripts).flatMap((script) => script.match(/\S+\.(?:ts|mjs)\b/g) ?? [])
  expect(programs.filter((program) => !existsSync(join(root, program)))).toEqual([])
})

test.each(documents)('every command that %s names exists', (_file, text) => {
  const names = Object.keys(commands)
  const isCommand = (words: string): boolean =>
    words === '' || names.some((name) => name === words || words.startsWith(`${name} `) || name.startsWith(`${words} `))
  const named = [...text.matchAll(/npm run (?:-s )?([\w:-]+)((?: [a-z][a-z-]*)*)/g)]
  const missing = named.filter(([, script = '', words = '']) =>
    script === 'lab' ? !isCommand(words.trim()) : scripts[script] === undefined,
  )
  expect(missing.map(([line]) => line)).toEqual([])
})
