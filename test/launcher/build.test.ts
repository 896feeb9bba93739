import { execFileSync } from 'node:child_process'
import { appendFileSync, cpSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { compatibilityDate } from '../../src/launcher/workerd-config.ts'
import { temporaryDirectory } from './harness.ts'

const root = resolve(import.meta.dirname, '../..')

function checkout(): string {
  const directory = temporaryDirectory()
  for (const path of [
    'package.json',
    'package-lock.json',
    'bin',
    'scripts/build.mjs',
    'scripts/deferred.mjs',
    'scripts/tables.mjs',
    'scripts/tables',
    'scripts/validators.mjs',
    'src',
  ]) {
    cpSync(join(root, path), join(directory, path), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'))
  mkdirSync(join(directory, 'elsewhere'))
  return directory
}

const run = (directory: string) =>
  execFileSync(process.execPath, [join(directory, 'bin/edgeplane.mjs'), '--version'], {
    encoding: 'utf8',
    cwd: join(directory, 'elsewhere'),
  })

test('the program is built again only if the sources have changed', () => {
  const directory = checkout()
  const built = () => statSync(join(directory, 'dist/launcher.cjs')).mtimeMs
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  expect(run(directory)).toBe(`${version}\n`)
  const first = built()
  run(directory)
  expect(built()).toBe(first)
  appendFileSync(join(directory, 'src/launcher/options.ts'), '\n// changed\n')
  run(directory)
  expect(built()).toBeGreaterThan(first)
})

test('an installed package runs without its sources', () => {
  const directory = checkout()
  const version = run(directory)
  rmSync(join(directory, 'src'), { recursive: true })
  expect(run(directory)).toBe(version)
})

test('compatibility_date is the same in wrangler.toml and in the local server', () => {
  expect(readFileSync(join(root, 'wrangler.toml'), 'utf8')).toContain(`compatibility_date = "${compatibilityDate}"`)
})
