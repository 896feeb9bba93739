import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { commands } from './commands.ts'
import { manPage } from './man-page.ts'

const root = resolve(import.meta.dirname, '../..')
const read = (file: string): string => readFileSync(join(root, file), 'utf8')

test('the manual page of the package is that of the commands: `npm run lab man` writes it', () => {
  const { version, man } = JSON.parse(read('package.json')) as { readonly version: string; readonly man: string }
  expect(read(man)).toBe(manPage(commands, version))
})

test('hyphens and backslashes are escaped, internal commands are not listed', () => {
  const run = (): number => 0
  const options = [{ name: 'a-b', value: 'FILE', help: ['what a \\ does', "'quoted'"] }]
  const page = manPage(
    [
      { name: 'one', summary: 'do it', options, run },
      { name: 'two', summary: '', internal: true, options, run },
    ],
    '1.0.0',
  )
  expect(page).toContain(".SS edgeplane one\nDo it.\n.TP\n\\fB\\-\\-a\\-b\\fR \\fIFILE\\fR\nwhat a \\e does 'quoted'\n")
  expect(page).not.toContain('edgeplane two')
})
